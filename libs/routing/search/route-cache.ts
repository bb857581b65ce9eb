import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { RouteAnswer, RouteRequest } from './route.js';

/** Requests that are kept at most; what is polled is few. */
const MOST = 4_096;

/**
 * Answers to route requests by tokens, amount, hops and venues, until the book changes: prices are polled more often than
 * pools move. Invariant: an answer is that of the search at the book's present version. A map that is
 * emptied as a whole: answers seldom live until there are too many (a hit takes 2 ns, in `lru-cache` 39).
 */
export class RouteCache {
  private readonly known = new Map<string, RouteAnswer>();
  private version = -1;

  constructor(
    private readonly book: PoolBook,
    private readonly search: { find(request: RouteRequest): RouteAnswer },
  ) {}

  find(request: RouteRequest): RouteAnswer {
    if (this.version !== this.book.version || this.known.size >= MOST) {
      this.version = this.book.version;
      this.known.clear();
    }
    const { tokenIn, tokenOut, amountIn, maxHops, venues } = request;
    let key = `${tokenIn}${tokenOut}${amountIn} ${maxHops}`;
    for (const venue of venues) key += ` ${venue}`;
    let answer = this.known.get(key);
    if (answer === undefined) {
      answer = this.search.find(request);
      this.known.set(key, answer);
    }
    return answer;
  }
}
