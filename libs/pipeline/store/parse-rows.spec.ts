import { parseRows } from './parse-rows.js';

describe('rows of lines', () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ index, text: 'ä\\n"'.repeat(index % 7) }));
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  it('are the same wherever the pieces end', async () => {
    for (const slice of [1, 2, 3, 10, 100, text.length - 1, text.length, 10 * text.length]) {
      expect({ slice, rows: await parseRows(text, slice) }).toEqual({ slice, rows });
      expect({ slice, rows: await parseRows(text.trimEnd(), slice) }).toEqual({ slice, rows });
    }
    for (const none of ['', '\n']) expect(await parseRows(none)).toEqual([]);
  });

  it('let others have their turn', async () => {
    let turns = 0;
    const timer = setImmediate(function count() {
      turns++;
      setImmediate(count).unref();
    });
    await parseRows(text, 1);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(rows.length / 2);
  });
});
