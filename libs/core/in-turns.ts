import { Slice } from './slice.js';

/** How long a look over many items keeps the event loop before others have their turn. */
const TURN_MS = 2;

/** Looks at each of many items; others have their turn in between. */
export async function inTurns<Item>(items: Iterable<Item>, look: (item: Item) => void): Promise<void> {
  const turn = new Slice(TURN_MS);
  for (const item of items) {
    look(item);
    if (turn.isOver()) await turn.next();
  }
}

/** What is made of each item, in their order. */
export async function mapInTurns<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  await inTurns(items, (item) => made.push(make(item)));
  return made;
}
