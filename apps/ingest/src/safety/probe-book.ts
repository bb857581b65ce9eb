import { type ChainSpec, routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { ProbedPool } from './probe-token.js';

/** What is known of a token that has a pool. */
interface Known {
  pools: (ProbedPool & { readonly depth: number })[];
  /** Of its deepest pool. */
  depth: number;
  /** When it is to be looked at, Unix ms. */
  at: number;
  looks: number;
  /** It was asked for, or has just come: before all others. */
  urgent: boolean;
  failures: number;
}

const POOLS_EACH = 3;
const MINUTE_MS = 60_000;
const FIRST_PAUSE_MS = 15 * MINUTE_MS;
const LONGEST_PAUSE_MS = 24 * 60 * MINUTE_MS;
/** How much a coin counts compared with a dollar: for the order alone. */
const COIN_WEIGHT = 1_000;

/**
 * Which tokens are looked at, and when: those that are new or asked for first, then the deepest that no look was at yet, in turn with
 * those whose time has come again. A token is looked at again after a quarter of an hour, then twice as long each time up to a day:
 * what may change most is young. Above the bound the shallowest are forgotten.
 */
export class ProbeBook {
  private readonly known = new Map<Hex, Known>();
  /** Asked for before any pool of them was known. */
  private readonly asked = new Set<Hex>();
  private readonly looked = new Map<Hex, { looks: number; at: number }>();
  private turn = 0;

  constructor(
    private readonly chain: ChainSpec,
    private readonly most = 50_000,
  ) {}

  get size(): number {
    return this.known.size;
  }

  /** What was found in earlier runs. */
  remember(token: Hex, looks: number, at: number): void {
    this.looked.set(token, { looks, at });
  }

  /** `reserves`: what the pool had when it was stated; null for one that has just come. */
  learn(record: PoolRecord, reserves: readonly [bigint, bigint] | null): void {
    const { token0, token1 } = record;
    const depth = reserves === null ? 0 : this.depthOf(record, reserves);
    for (const token of [token0, token1]) this.add(token, record, depth, reserves === null);
    if (this.known.size > this.most * 1.2) this.forgetShallow();
  }

  /** Looks at it next, or as soon as it has a pool. */
  ask(token: Hex): void {
    const known = this.known.get(token);
    if (known === undefined) {
      if (this.asked.size < this.most) this.asked.add(token);
      return;
    }
    known.urgent = true;
    known.at = 0;
  }

  poolsOf(token: Hex): readonly ProbedPool[] {
    return this.known.get(token)?.pools ?? [];
  }

  looksAt(token: Hex): number {
    return this.known.get(token)?.looks ?? 0;
  }

  /** Takes the token to look at; null while there is none. */
  take(now: number): Hex | null {
    const again = this.turn++ % 2 === 1;
    let best: Hex | null = null;
    let bestRank = Number.NEGATIVE_INFINITY;
    for (const [token, one] of this.known) {
      if (one.at > now) continue;
      const rank = one.urgent ? Number.MAX_VALUE : again && one.looks > 0 ? 1e30 - one.at : one.depth;
      if (rank <= bestRank) continue;
      [best, bestRank] = [token, rank];
    }
    if (best !== null) this.known.get(best)!.at = Number.POSITIVE_INFINITY;
    return best;
  }

  found(token: Hex, now: number): void {
    const known = this.known.get(token);
    if (known === undefined) return;
    Object.assign(known, { looks: known.looks + 1, urgent: false, failures: 0 });
    known.at = now + pauseAfter(known.looks);
  }

  failed(token: Hex, now: number): void {
    const known = this.known.get(token);
    if (known === undefined) return;
    Object.assign(known, { urgent: false, failures: known.failures + 1 });
    known.at = now + pauseAfter(known.failures);
  }

  private add(token: Hex, record: PoolRecord, depth: number, fresh: boolean): void {
    let known = this.known.get(token);
    if (known === undefined) {
      const { looks, at } = this.looked.get(token) ?? { looks: 0, at: 0 };
      this.looked.delete(token);
      known = {
        pools: [],
        depth: 0,
        at,
        looks,
        urgent: (fresh && looks === 0) || this.asked.delete(token),
        failures: 0,
      };
      this.known.set(token, known);
    }
    const others = known.pools.filter(({ pool }) => pool !== record.pool);
    known.pools = [...others, { ...this.probed(record), depth }].sort((a, b) => b.depth - a.depth).slice(0, POOLS_EACH);
    known.depth = known.pools[0]!.depth;
  }

  /** One contract holds the tokens of all pools whose ids are no addresses. */
  private probed({ pool, venue }: PoolRecord): ProbedPool {
    const spec = this.chain.venues.find((candidate) => candidate.venue === venue);
    const holder = pool.length === 40 ? pool : (spec?.factory ?? pool);
    const router = routedVenues(this.chain).find((candidate) => candidate.venue === venue)?.contracts.router;
    return { pool, holder, spender: router ?? null };
  }

  /** Roughly, in dollars: the side that is the coin or a stable. */
  private depthOf({ token0, token1 }: PoolRecord, [reserve0, reserve1]: readonly [bigint, bigint]): number {
    const { wrappedNative, stables } = this.chain;
    const worth = (token: Hex, amount: bigint): number => {
      if (token === wrappedNative.token) return (Number(amount) / 10 ** wrappedNative.decimals) * COIN_WEIGHT;
      const stable = stables.find((one) => one.token === token);
      return stable === undefined ? 0 : Number(amount) / 10 ** stable.decimals;
    };
    return Math.max(worth(token0, reserve0), worth(token1, reserve1));
  }

  private forgetShallow(): void {
    const ranked = [...this.known].sort(([, a], [, b]) => b.depth - a.depth);
    for (const [token, { urgent }] of ranked.slice(this.most)) if (!urgent) this.known.delete(token);
  }
}

/** The first time a quarter of an hour, then twice as long each time. */
export const pauseAfter = (times: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, times - 1));
