const LARGEST_PAGE = 200;

interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}

/** The first `count` rows of one view: the pages after the first follow its cursor, so that no row is lost in between. */
export async function readPages<Row, A extends Page<Row>>(
  count: number,
  ask: (page: { limit: number; cursor?: string }) => Promise<A & Page<Row>>,
): Promise<{ rows: Row[]; more: boolean; first: A; last: A }> {
  const rows: Row[] = [];
  let first: A | null = null;
  let cursor: string | undefined;
  for (;;) {
    const last = await ask({ limit: Math.min(LARGEST_PAGE, count - rows.length), cursor });
    first ??= last;
    rows.push(...last.data);
    if (last.next === null || rows.length >= count) return { rows, more: last.next !== null, first, last };
    cursor = last.next;
  }
}
