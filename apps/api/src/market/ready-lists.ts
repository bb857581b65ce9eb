import { LRUCache } from 'lru-cache';
import type { Market } from '#libs/serve/reader/read-market.js';

/** Lists that are made again. */
const MOST_LISTS = 32;
/** One that was not asked for since so many markets is not made again. */
const MARKETS_KEPT = 2;

interface Asked {
  make: (market: Market) => Promise<unknown>;
  /** Markets for which it is still made again. */
  left: number;
}

/** The lists of one chain that were asked for lately: they are made of the next market before anyone is answered from it. */
export class ReadyLists {
  private readonly asked = new LRUCache<string, Asked>({ max: MOST_LISTS });

  /** A list was asked for; `make` makes and keeps it. */
  note(list: string, make: Asked['make']): void {
    this.asked.set(list, { make, left: MARKETS_KEPT });
  }

  /** One after the other: they take from what requests have. Throws what one of them throws. */
  async make(market: Market): Promise<void> {
    for (const [list, asked] of [...this.asked.entries()].reverse()) {
      if (asked.left-- === 0) this.asked.delete(list);
      else await asked.make(market);
    }
  }
}
