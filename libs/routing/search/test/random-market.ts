import { sqrtRatioAtTick, tickAtSqrtRatio } from '#libs/chain/amm/tick-math.js';
import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import type { FactsGroup, PoolStateFact } from '#libs/protocol/facts.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';

/**
 * A pool book with random pools, changed by blocks and retractions as a chain changes it. Pools are as contracts leave
 * them: liquidity is the sum of positions in range, also none, also on one side only.
 */
const SPACINGS: Readonly<Record<number, number>> = { 100: 1, 500: 10, 2500: 50, 3000: 60, 10000: 200 };

export interface MarketOptions {
  tokens: number;
  pools: number;
  /** Venue names: constant product where they begin with `cp`, either kind in `mixed`, else concentrated. */
  venues: readonly string[];
  /** Absurd states too: a price at the end of the range, reserves of one unit or next to the limit. */
  extremes?: boolean;
  /** Every concentrated pool has a position over the whole range. */
  deep?: boolean;
  /** At most one pool of a venue, pair and fee, as factories make them. */
  distinct?: boolean;
  fees?: readonly number[];
}

export class RandomMarket {
  readonly book = new PoolBook();
  readonly tokens: Hex[];
  private readonly live = new Map<Hex, PoolRecord>();
  private seq = -1;

  constructor(
    private readonly random: SeededRandom,
    readonly options: MarketOptions,
    /** Follows all groups too. */
    private readonly other: PoolBook | null = null,
  ) {
    this.tokens = Array.from({ length: options.tokens }, () => random.hex(20)).sort();
    const made = Array.from({ length: options.pools }, () => this.newPool());
    const key = ({ venue, token0, token1, feePpm }: PoolRecord) => [venue, token0, token1, feePpm].join();
    const pools = options.distinct ? [...new Map(made.map((pool) => [key(pool), pool])).values()] : made;
    this.block(
      pools,
      pools.map((record) => this.state(record)),
    );
  }

  get size(): number {
    return this.live.size;
  }

  /** A block that may create pools and changes the state of some. */
  randomBlock(): void {
    const { random } = this;
    const created = random.chance(0.3) ? [this.newPool()] : [];
    const changed = [...this.live.values()].filter(() => random.chance(0.2));
    this.block(
      created,
      [...changed, ...created].map((record) => this.state(record)),
    );
  }

  /** A retraction that takes pools away and puts others back into another state. */
  randomRetraction(): void {
    const { random } = this;
    const all = [...this.live.values()];
    const removed = all.filter(() => random.chance(0.1)).map(({ pool }) => pool);
    for (const id of removed) this.live.delete(id);
    const restored = [...this.live.values()].filter(() => random.chance(0.2)).map((record) => this.state(record));
    this.apply({ kind: 'retract', fromSeq: this.seq, poolStates: restored, removedPools: removed } as never);
  }

  private block(pools: PoolRecord[], poolStates: PoolStateFact[]): void {
    for (const record of pools) this.live.set(record.pool, record);
    this.apply({ kind: 'block', pools, poolStates } as never);
  }

  private apply(group: FactsGroup): void {
    this.seq++;
    const facts = { ...group, seq: this.seq, height: this.seq, hash: '00', time: 0 } as FactsGroup;
    this.book.apply(facts);
    this.other?.apply(facts);
  }

  private newPool(): PoolRecord {
    const { random, options } = this;
    const token0 = random.pick(this.tokens.slice(0, -1));
    const token1 = random.pick(this.tokens.filter((token) => token > token0));
    const venue = random.pick(options.venues);
    const constantProduct = venue === 'mixed' ? random.chance(0.5) : venue.startsWith('cp');
    const feePpm = constantProduct
      ? random.pick(options.fees ?? [3000, 2500])
      : random.pick(options.fees ?? [100, 500, 2500, 3000, 10000]);
    return {
      pool: random.hex(20),
      venue,
      kind: constantProduct ? 'constant-product' : 'concentrated',
      token0,
      token1,
      feePpm,
      tickSpacing: constantProduct ? 0 : SPACINGS[feePpm]!,
      created: true,
    };
  }

  private state(record: PoolRecord): PoolStateFact {
    const { random } = this;
    const anchored = this.options.distinct === true || !random.chance(0.05);
    if (record.kind === 'constant-product') {
      const reserve = () => (this.extreme() ? random.pick([0n, 1n, 2n, (1n << 112n) - 1n]) : this.amount(1, 1e27));
      return {
        pool: record.pool,
        reserve0: reserve(),
        reserve1: reserve(),
        concentrated: null,
        anchored,
        setApart: null,
      };
    }
    const { tick, sqrtPriceX96, liquidity, ticks } = this.concentrated(record.tickSpacing);
    const concentrated = { sqrtPriceX96, tick, liquidity, ticks, ticksComplete: true };
    return { pool: record.pool, reserve0: 0n, reserve1: 0n, concentrated, anchored, setApart: null };
  }

  private concentrated(spacing: number) {
    const { random } = this;
    const reach = Math.floor(887272 / spacing) * spacing;
    const near = this.extreme() ? random.pick([-887_000, 887_000, 0]) : random.int(-60_000, 60_000);
    const at = Math.max(-reach, Math.min(reach - spacing, Math.round(near / spacing) * spacing));
    // On an initialised tick, just below it after it was crossed downwards, or somewhere between.
    const place = random.int(0, 3);
    let sqrtPriceX96 = sqrtRatioAtTick(at);
    if (place >= 2) {
      const width = sqrtRatioAtTick(at + spacing) - sqrtPriceX96;
      sqrtPriceX96 += (width * BigInt(random.int(1, 999))) / 1000n;
    }
    const tick = place === 1 && at > -reach ? at - 1 : tickAtSqrtRatio(sqrtPriceX96);
    const byTick = new Map<number, TickRecord>();
    let liquidity = 0n;
    const positions = random.int(this.extreme() ? 0 : 1, 6);
    for (let i = 0; i < positions; i++) {
      const full = random.chance(0.2) || (i === 0 && this.options.deep === true);
      const width = spacing * Math.ceil(random.spread(1, 3000));
      const center = at + spacing * random.int(-40, 40);
      const lower = full ? -reach : Math.max(-reach, Math.floor((center - width) / spacing) * spacing);
      const upper = full ? reach : Math.min(reach, Math.ceil((center + width) / spacing) * spacing);
      if (lower >= upper) continue;
      const amount = this.amount(1e2, this.extreme() ? 1e30 : 1e24);
      for (const [edge, net] of [
        [lower, amount],
        [upper, -amount],
      ] as const) {
        const known = byTick.get(edge) ?? { tick: edge, liquidityGross: 0n, liquidityNet: 0n };
        byTick.set(edge, {
          tick: edge,
          liquidityGross: known.liquidityGross + amount,
          liquidityNet: known.liquidityNet + net,
        });
      }
      if (lower <= tick && tick < upper) liquidity += amount;
    }
    return { tick, sqrtPriceX96, liquidity, ticks: [...byTick.values()] };
  }

  private extreme(): boolean {
    return this.options.extremes === true && this.random.chance(0.15);
  }

  /** Log-uniform. */
  amount(from: number, to: number): bigint {
    return BigInt(Math.floor(this.random.spread(from, to)));
  }
}
