import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters that are read before the event loop gets its turn: a millisecond or two. */
const SLICE = 128 * 1024;

/** Rows of a text with one of them a line; of a long text piece by piece, so that others have their turn meanwhile. */
export async function parseRows<Row>(text: string, slice = SLICE): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from + slice);
    const to = end < 0 ? text.length : end;
    const lines = text.slice(from, to).trimEnd().split('\n').join(',');
    for (const row of JSON.parse(`[${lines}]`) as Row[]) rows.push(row);
    from = to + 1;
    if (from < text.length) await nextTurn();
  }
  return rows;
}
