/** Rows of several ids as lists by id, in their order. */
export function byId<Row>(rows: readonly Row[], idOf: (row: Row) => string): Map<string, Row[]> {
  const lists = new Map<string, Row[]>();
  for (const row of rows) {
    const id = idOf(row);
    const list = lists.get(id);
    if (list === undefined) lists.set(id, [row]);
    else list.push(row);
  }
  return lists;
}
