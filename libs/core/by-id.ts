/** Rows of several ids as lists by id, in their order. */
export function byId<Row>(rows: readonly Row[], idOf: (row: Row) => string): Map<string, Row[]> {
  const lists = new Map<string, Row[]>();
  for (const row of rows) {
    const list = lists.get(idOf(row));
    if (list === undefined) lists.set(idOf(row), [row]);
    else list.push(row);
  }
  return lists;
}
