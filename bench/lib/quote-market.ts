import { tickAtSqrtRatio } from '#libs/chain/amm/tick-math.js';
import type { Hex } from '#libs/core/ids.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import type { FactsGroup, PoolStateFact } from '#libs/protocol/facts.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';

/**
 * A market shaped as real ones are: a few hubs that most pools have on one side, many tokens with one pool or two, pools
 * from a thousand dollars to a hundred million, prices that differ a little from pool to pool, concentrated pools with a
 * full range and a few dozen positions around the price. Two venues, one of either kind. Same seed, same market.
 */
/** Those that both families of SDKs know. */
const TIERS = [
  { feePpm: 100, tickSpacing: 1 },
  { feePpm: 500, tickSpacing: 10 },
  { feePpm: 10000, tickSpacing: 200 },
] as const;
const HUBS = 5;

export const VENUES = { constantProduct: 'uniswap-v2', concentrated: 'uniswap-v3' } as const;

interface MarketToken {
  token: Hex;
  decimals: number;
  /** Dollars for a whole one. */
  price: number;
}

export interface QuoteCase {
  tokenIn: Hex;
  tokenOut: Hex;
  amountIn: bigint;
}

export class QuoteMarket {
  readonly book = new PoolBook();
  readonly tokens: MarketToken[] = [];
  private readonly byToken = new Map<Hex, MarketToken>();
  readonly records: PoolRecord[] = [];
  private readonly random: SeededRandom;
  private readonly filled = new Map<Hex, number>();
  private readonly taken = new Set<string>();
  private seq = -1;

  constructor(
    pools: number,
    seed: number,
    private readonly pairFeePpm = 3000,
  ) {
    this.random = new SeededRandom(seed);
    const count = pools <= 200 ? Math.max(7, Math.ceil(pools * 0.1)) : Math.ceil(pools * 0.4);
    for (let i = 0; i < count; i++) this.addToken();
    const created = Array.from({ length: pools }, () => this.newPool());
    this.block(created, created);
  }

  /** A block that changes some pools and may create one. */
  nextBlock(changed: number, creates: boolean): void {
    const created = creates ? [this.newPool()] : [];
    const states = Array.from({ length: changed }, () => this.random.pick(this.records));
    this.block(created, [...new Set([...states, ...created])]);
  }

  /** What a pool was last filled with. */
  dollars({ id }: { id: Hex }): number {
    return this.filled.get(id) ?? 0;
  }

  /** A third of the questions each: hub to hub, hub and any token, any two tokens; ten dollars to a million. */
  cases(count: number): QuoteCase[] {
    const { random, tokens } = this;
    return Array.from({ length: count }, (_, i) => {
      const any = () => random.pick(tokens);
      const hub = () => tokens[random.int(0, HUBS - 1)]!;
      const kind = i % 3;
      let [from, to] = [kind === 2 ? any() : hub(), kind === 0 ? hub() : any()];
      while (to === from) to = kind === 0 ? hub() : any();
      if (random.chance(0.5)) [from, to] = [to, from];
      return { tokenIn: from.token, tokenOut: to.token, amountIn: units(random.spread(10, 1e6), from) };
    });
  }

  private block(pools: PoolRecord[], changed: readonly PoolRecord[]): void {
    this.seq++;
    const poolStates = changed.map((record) => this.state(record));
    const group = { kind: 'block', seq: this.seq, height: this.seq, hash: '00', time: 0, pools, poolStates };
    this.book.apply(group as unknown as FactsGroup);
  }

  /** The coin, two stables of six decimals and one of eighteen come first. */
  private addToken(): void {
    const { random, tokens } = this;
    const i = tokens.length;
    const token = {
      token: random.hex(20),
      decimals: i > 0 && i < 3 ? 6 : 18,
      price: i === 0 ? 3000 : i < 4 ? 1 : random.spread(1e-4, 1e3),
    };
    tokens.push(token);
    this.byToken.set(token.token, token);
  }

  private newPool(): PoolRecord {
    const { random, tokens } = this;
    for (let tries = 1; ; tries++) {
      // A small market is full at some time: then comes a new token.
      if (tries % 50 === 0) this.addToken();
      // The first hub is on one side of half of all pools.
      const hub = random.chance(0.5) ? tokens[0]! : tokens[random.int(0, HUBS - 1)]!;
      const other = random.chance(0.05) ? tokens[random.int(0, HUBS - 1)]! : random.pick(tokens);
      const first = random.chance(0.9) ? hub : random.pick(tokens);
      if (first === other) continue;
      const [token0, token1] = first.token < other.token ? [first.token, other.token] : [other.token, first.token];
      const tier = random.chance(0.5) ? null : random.pick(TIERS);
      const key = [token0, token1, tier?.feePpm].join();
      if (this.taken.has(key)) continue;
      this.taken.add(key);
      const record: PoolRecord = {
        pool: random.hex(20),
        venue: tier === null ? VENUES.constantProduct : VENUES.concentrated,
        kind: tier === null ? 'constant-product' : 'concentrated',
        token0,
        token1,
        feePpm: tier?.feePpm ?? this.pairFeePpm,
        tickSpacing: tier?.tickSpacing ?? 0,
        created: true,
      };
      this.records.push(record);
      return record;
    }
  }

  private state(record: PoolRecord): PoolStateFact {
    const { random } = this;
    const [token0, token1] = [this.tokenOf(record.token0), this.tokenOf(record.token1)];
    const dollars = random.spread(1e3, 1e8);
    this.filled.set(record.pool, dollars);
    const drift = 1 + (random.next() - 0.5) * 0.01;
    const reserve0 = units(dollars, token0);
    const reserve1 = units(dollars * drift, token1);
    const base = { pool: record.pool, anchored: true, setApart: null };
    if (record.kind === 'constant-product') return { ...base, reserve0, reserve1, concentrated: null };
    const concentrated = this.concentrated(record.tickSpacing, reserve0, reserve1);
    return { ...base, reserve0: 0n, reserve1: 0n, concentrated };
  }

  private concentrated(spacing: number, reserve0: bigint, reserve1: bigint) {
    const { random } = this;
    const sqrtPriceX96 = squareRoot((reserve1 << 192n) / reserve0);
    const tick = tickAtSqrtRatio(sqrtPriceX96);
    const whole = squareRoot(reserve0 * reserve1);
    const reach = Math.floor(887_272 / spacing) * spacing;
    const net = new Map<number, TickRecord>();
    let liquidity = 0n;
    const add = (lower: number, upper: number, amount: bigint) => {
      for (const [at, change] of [
        [lower, amount],
        [upper, -amount],
      ] as const) {
        const known = net.get(at) ?? { tick: at, liquidityGross: 0n, liquidityNet: 0n };
        const { liquidityGross, liquidityNet } = known;
        net.set(at, { tick: at, liquidityGross: liquidityGross + amount, liquidityNet: liquidityNet + change });
      }
      if (lower <= tick && tick < upper) liquidity += amount;
    };
    add(-reach, reach, whole);
    const positions = random.int(2, 30);
    for (let i = 0; i < positions; i++) {
      const width = random.spread(2 * spacing, 20_000);
      const center = tick + (random.next() - 0.5) * width;
      const lower = Math.max(-reach, Math.floor((center - width / 2) / spacing) * spacing);
      const upper = Math.min(reach, Math.ceil((center + width / 2) / spacing) * spacing);
      if (lower < upper) add(lower, upper, (whole * BigInt(random.int(1, 60))) / 10n + 1n);
    }
    const ticks = [...net.values()].filter(({ liquidityGross }) => liquidityGross > 0n);
    return { sqrtPriceX96, tick, liquidity, ticks, ticksComplete: true };
  }

  private tokenOf(token: Hex): MarketToken {
    return this.byToken.get(token)!;
  }
}

function units(dollars: number, { price, decimals }: MarketToken): bigint {
  const whole = dollars / price;
  return (BigInt(Math.max(1, Math.round(whole * 1e6))) * 10n ** BigInt(decimals)) / 1_000_000n;
}

function squareRoot(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next === root || next === root + 1n || next === root - 1n) return next * next > value ? next - 1n : next;
    root = next;
  }
}
