import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a look over many items keeps the event loop before others have their turn. */
const TURN_MS = 2;
/** Items that are looked at between two looks at the clock. */
const AT_ONCE = 32;

/** Looks at each of many items; others have their turn in between. */
export async function inTurns<Item>(items: Iterable<Item>, look: (item: Item) => void): Promise<void> {
  let seen = 0;
  let until = performance.now() + TURN_MS;
  for (const item of items) {
    look(item);
    if (++seen % AT_ONCE !== 0 || performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + TURN_MS;
  }
}

/** What is made of each item, in their order. */
export async function mapInTurns<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  await inTurns(items, (item) => made.push(make(item)));
  return made;
}
