import { forEachYielding } from '#libs/core/for-each-yielding.js';

/** So many more than are wanted are kept before they are put in order. */
const SLACK = 500;

/** The first ones of a list, and how many it has. */
export interface Listing<Item> {
  readonly first: readonly Item[];
  readonly total: number;
}

/** The first items in an order, as a whole sort would have them: of the others none is put in its place. */
export async function firstOf<Item>(
  items: readonly Item[],
  limit: number,
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  const kept: Item[] = [];
  let last: Item | null = null;
  const cut = (): void => {
    kept.sort(compare);
    if (kept.length < limit) return;
    kept.length = limit;
    last = kept[limit - 1]!;
  };
  await forEachYielding(items, (item) => {
    if (last !== null && compare(item, last) >= 0) return;
    kept.push(item);
    if (kept.length >= limit + SLACK) cut();
  });
  cut();
  return kept;
}
