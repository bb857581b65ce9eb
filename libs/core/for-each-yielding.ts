import { TimeBudget } from './time-budget.js';

/** How long a look over many items keeps the event loop before others have their turn. */
const TURN_MS = 2;

/** Looks at each of many items; others have their turn in between. */
export async function forEachYielding<Item>(items: Iterable<Item>, look: (item: Item) => void): Promise<void> {
  const budget = new TimeBudget(TURN_MS);
  for (const item of items) {
    look(item);
    if (budget.isOver()) await budget.next();
  }
}

/** What is made of each item, in their order. */
export async function mapYielding<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  await forEachYielding(items, (item) => made.push(make(item)));
  return made;
}
