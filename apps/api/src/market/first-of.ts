import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items that are looked at before the event loop gets its turn: a fraction of a millisecond. */
const SLICE = 500;

/** The first ones of a list, and how many it has. */
export interface Listing<Item> {
  readonly first: readonly Item[];
  readonly total: number;
}

/** Looks at each of many items, in turns. */
export async function inTurns<Item>(items: Iterable<Item>, look: (item: Item) => void): Promise<void> {
  let seen = 0;
  for (const item of items) {
    look(item);
    if (++seen % SLICE === 0) await nextTurn();
  }
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
  await inTurns(items, (item) => {
    if (last !== null && compare(item, last) >= 0) return;
    kept.push(item);
    if (kept.length >= limit + SLICE) cut();
  });
  cut();
  return kept;
}
