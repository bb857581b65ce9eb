/**
 * As many ids are named in one statement. Both engines bound its length: embedded ClickHouse the whole text with its values (256 KiB),
 * a server each value (128 KiB).
 */
export const MOST_IN_STATEMENT = 1_000;

/** What `read` finds for all of them, in the order of the pieces that it is given one after the other. */
export async function inPieces<Id, Row>(
  ids: readonly Id[],
  read: (piece: readonly Id[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let from = 0; from < ids.length; from += MOST_IN_STATEMENT) {
    for (const row of await read(ids.slice(from, from + MOST_IN_STATEMENT))) found.push(row);
  }
  return found;
}
