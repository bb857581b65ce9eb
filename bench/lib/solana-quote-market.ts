import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaRouteRequest } from '#libs/routing/search/solana/solana-route.js';
import { PlainBook, PlainPool } from '#libs/routing/search/solana/test/plain-pool.js';
import { allVenues, randomSolanaPool, sizedVenues } from '#libs/routing/search/solana/test/random-pools.js';

/**
 * A market of Solana pools of every venue: a few hubs that most pools have on one side, parallel pools whose prices differ a
 * little, and tokens whose one pool or curve is of a venue whose states are random. Same seed, same market.
 */
const HUBS = 4;

interface MarketToken {
  readonly token: string;
  /** Units for one unit of account. */
  readonly units: number;
}

export class SolanaQuoteMarket {
  readonly book = new PlainBook();
  readonly tokens: MarketToken[] = [];
  private readonly pools: { pool: PlainPool; depth: [bigint, bigint] | null }[] = [];
  private readonly random: SeededRandom;
  private readonly leafVenues = allVenues.filter((venue) => !sizedVenues.includes(venue));

  constructor(pools: number, seed: number) {
    this.random = new SeededRandom(seed);
    const count = Math.max(7, Math.ceil(pools * 0.12));
    for (let n = 0; n < count; n++) this.tokens.push(this.token());
    const leaves = Math.ceil(pools * 0.15);
    for (let n = 0; n < pools - leaves; n++) this.addSized();
    for (let n = 0; n < leaves; n++) this.addLeaf();
  }

  /** As a slot leaves it: so many pools have traded. */
  trade(changed: number): void {
    const { random } = this;
    for (let n = 0; n < changed; n++) {
      const { pool, depth } = random.pick(this.pools);
      pool.change(randomSolanaPool(random, pool.venue, depth === null ? true : this.near(depth)).state);
    }
  }

  requests(count: number, maxHops: 2 | 3 | 4, exact: 'in' | 'out'): SolanaRouteRequest[] {
    const { random, tokens } = this;
    const venues = new Set(allVenues);
    return Array.from({ length: count }, (_, n) => {
      const any = (): MarketToken => random.pick(tokens);
      const hub = (): MarketToken => tokens[random.int(0, HUBS - 1)]!;
      let [from, to] = [n % 3 === 2 ? any() : hub(), n % 3 === 0 ? hub() : any()];
      while (to === from) to = n % 3 === 0 ? hub() : any();
      if (random.chance(0.5)) [from, to] = [to, from];
      const { units } = exact === 'in' ? from : to;
      const amount = BigInt(Math.max(1, Math.floor(units * random.spread(10, 100_000))));
      return { tokenIn: from.token, tokenOut: to.token, exact, amount, maxHops, venues, mixVenues: true };
    });
  }

  private token(): MarketToken {
    const { random } = this;
    return { token: random.hex(32), units: random.spread(1e4, 1e9) };
  }

  /** A hub and any token, or two hubs. */
  private addSized(): void {
    const { random, tokens } = this;
    const a = tokens[random.int(0, HUBS - 1)]!;
    let b = random.pick(tokens);
    while (b === a) b = random.pick(tokens);
    const [first, second] = a.token < b.token ? [a, b] : [b, a];
    const worth = random.spread(1e4, 1e8);
    const depth = [first, second].map(({ units }) => BigInt(Math.ceil(units * worth))) as [bigint, bigint];
    const { venue, kind, state } = randomSolanaPool(random, random.pick(sizedVenues), this.near(depth));
    this.add(new PlainPool(random.hex(32), venue, kind, first.token, second.token, state, true), depth);
  }

  private addLeaf(): void {
    const { random, tokens } = this;
    const hub = tokens[random.int(0, HUBS - 1)]!;
    const own = this.token();
    tokens.push(own);
    const { venue, kind, state } = randomSolanaPool(random, random.pick(this.leafVenues), true);
    const [token0, token1] = [hub.token, own.token].sort() as [string, string];
    this.add(new PlainPool(random.hex(32), venue, kind, token0, token1, state, random.chance(0.5)), null);
  }

  private add(pool: PlainPool, depth: [bigint, bigint] | null): void {
    this.pools.push({ pool, depth });
    this.book.add(pool);
  }

  /** Within half a percent of the price. */
  private near([a, b]: readonly [bigint, bigint]): [bigint, bigint] {
    const moved = BigInt(this.random.int(9_950, 10_050));
    return [a, (b * moved) / 10_000n + 1n];
  }
}
