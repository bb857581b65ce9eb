import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import { ONE_E36 } from '#libs/core/money.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { BlockGroup, ChainEvent, PoolKind, PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { backingOfPrice } from './backing.js';
import { ChainFold } from './chain-fold.js';
import { poolLiquidityUsd, TokenValues } from './token-values.js';

/**
 * The invariant of worth: whatever a user makes with his money (tokens, pools, ranges on one side, pools of his tokens
 * against each other and against tokens of others), what could be taken out of his tokens is no more than that money, their
 * liquidity no more than twice that, and a token of others moves no further than trades with the money would move it.
 */

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const COIN = id(0xc0);
const USD = id(0xa1);
const HONEST = id(0x70);
const COIN_USD = 2_000;
const UNIT = 10n ** 18n;
const whole = (amount: number): bigint => (BigInt(Math.round(amount * 1e9)) * UNIT) / 10n ** 9n;
const number = (amount: bigint): number => Number(amount) / 1e18;

class World {
  readonly fold = ChainFold.empty();
  readonly made: PoolRecord[] = [];
  readonly tokens: string[] = [];
  private readonly prices = new Map<string, FactsBlock['prices'][number]>();
  private readonly states = new Map<string, FactsBlock['poolStates'][number]>();
  private references = new Map<string, bigint | null>();
  private events: ChainEvent[] = [];
  private pools: PoolRecord[] = [];
  private fresh = [COIN, USD, HONEST];
  private seq = 0;

  constructor(
    private readonly random: SeededRandom,
    /** Of the coin, in the pool of the honest token. */
    readonly depth: number,
  ) {
    this.fold.apply(
      {
        ...{ kind: 'epoch', chain: 'eth', epoch: 1, seq: 0, height: 9, hash: id(9, 32), parentHash: '', time: 0 },
        reference: {
          ...{ family: 'evm', genesisHash: id(1, 32), startHeight: 10, decoderVersion: 1, stables: [USD] },
          coin: { token: COIN, symbol: 'COIN', decimals: 18 },
          rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
        },
      },
      '',
    );
    this.pair(this.pool('constant-product', COIN, USD), [
      [COIN, 100_000],
      [USD, 100_000 * COIN_USD],
    ]);
    this.pair(this.pool('constant-product', HONEST, COIN), [
      [HONEST, depth * 100],
      [COIN, depth],
    ]);
    this.block();
  }

  /** A new token, of which its maker has as much as he likes. */
  token(): string {
    const token = id(0x1000 + this.tokens.length);
    this.tokens.push(token);
    this.fresh.push(token);
    return token;
  }

  pool(kind: PoolKind, a: string, b: string): PoolRecord {
    const [token0, token1] = a < b ? [a, b] : [b, a];
    const pool = id(0x9000 + this.random.int(0, 0xfff) * 0x1000 + this.pools.length + this.states.size, 32);
    const record = { pool, venue: 'any', kind, token0, token1, feePpm: 3000, tickSpacing: 1, created: true };
    this.pools.push(record);
    return record;
  }

  pair({ pool, token0 }: PoolRecord, amounts: readonly (readonly [string, number])[]): void {
    const [first, second] = amounts[0]![0] === token0 ? amounts : [amounts[1]!, amounts[0]!];
    this.events.push({
      ...{ kind: 'reserves', tx: 0, ordinal: this.events.length, pool },
      ...{ reserve0: whole(first![1]), reserve1: whole(second![1]) },
    });
  }

  /** Liquidity in one range, on one side of the price or around it. */
  range(record: PoolRecord, tick: number, lower: number, upper: number, liquidity: bigint): void {
    const { pool } = record;
    const at = { tx: 0, pool };
    this.events.push({
      kind: 'initialize',
      ...at,
      ordinal: this.events.length,
      sqrtPriceX96: sqrtRatioAtTick(tick),
      tick,
    });
    this.events.push({
      ...{ kind: 'liquidity', ...at, ordinal: this.events.length, owner: id(5) },
      ...{ tickLower: lower, tickUpper: upper, liquidityDelta: liquidity, amount0: 0n, amount1: 0n },
    });
  }

  /** A trade of a pool that states its price, as what goes into it. */
  swap({ pool, token0 }: PoolRecord, amounts: readonly (readonly [string, number])[], sqrtPriceX96: bigint): void {
    const [first, second] = amounts[0]![0] === token0 ? amounts : [amounts[1]!, amounts[0]!];
    const [amount0, amount1] = [first!, second!].map(([, amount]) => (amount < 0 ? -whole(-amount) : whole(amount)));
    this.events.push({
      ...{ kind: 'swap', tx: 0, ordinal: this.events.length, pool, sender: id(6), recipient: id(7) },
      ...{ amount0: amount0!, amount1: amount1!, after: { sqrtPriceX96, liquidity: 0n, tick: 0 } },
    });
  }

  flow({ pool, token0 }: PoolRecord, token: string, amount: number): void {
    const by = amount < 0 ? -whole(-amount) : whole(amount);
    const [amount0, amount1] = token === token0 ? [by, 0n] : [0n, by];
    this.events.push({ kind: 'flow', tx: 0, ordinal: this.events.length, pool, amount0, amount1 });
  }

  block(): void {
    const height = 10 + this.seq++;
    const group: BlockGroup = {
      ...{ kind: 'block', chain: 'eth', epoch: 1, seq: this.seq, height, hash: id(height, 32) },
      ...{ parentHash: id(height - 1, 32), time: height, source: 'http', observedAt: 0, anchors: [] },
      txs: [{ id: id(height, 32), index: 0, sender: id(0x5e) }],
      tokens: this.fresh.map((token) => ({ token, decimals: 18, symbol: null, name: null, totalSupply: null })),
      pools: this.pools,
      events: this.events,
    };
    this.fresh = [];
    this.pools = [];
    this.events = [];
    const facts = this.fold.apply(group, '') as FactsBlock;
    for (const price of facts.prices) this.prices.set(price.token, price);
    for (const state of facts.poolStates) this.states.set(state.pool, state);
    for (const { token, usd } of facts.references) this.references.set(token, usd);
  }

  get values(): TokenValues {
    return new TokenValues({
      reference: (token) => this.references.get(token),
      backing: (token) => {
        const price = this.prices.get(token);
        return price === undefined ? null : backingOfPrice(price);
      },
    });
  }

  /** What a pool holds of a token, in whole ones. */
  heldOf({ pool, token0, token1 }: PoolRecord, token: string): number {
    const state = this.states.get(pool);
    if (state === undefined) return 0;
    return token === token0 ? number(state.reserve0) : token === token1 ? number(state.reserve1) : 0;
  }

  liquidity({ pool, token0, token1 }: PoolRecord): number {
    const { reserve0, reserve1 } = this.states.get(pool)!;
    const value = poolLiquidityUsd(this.values, { token0, token1, reserve0, reserve1, decimals0: 18, decimals1: 18 });
    return value === null ? 0 : number(value);
  }
}

/** One of the ways to make a price; remembers the pool. */
function attack(world: World, random: SeededRandom, budget: number): void {
  const own = random.chance(0.6) || world.tokens.length === 0 ? world.token() : random.pick(world.tokens);
  const others = [COIN, COIN, HONEST, ...world.tokens.filter((token) => token !== own)];
  const other = random.pick(others);
  // Money of others in the pool, and as many of the own tokens as it takes for a price from the sky or from the floor.
  const base = random.chance(0.15) ? HONEST : own;
  const quote = base === HONEST ? COIN : other;
  const amount = quote === HONEST ? budget * 100 : world.tokens.includes(quote) ? random.spread(1, 1e12) : budget;
  const supply = base === HONEST ? random.spread(budget, budget * 100) : random.spread(1e-3, 1e9);
  const kind = random.chance(0.5) ? 'constant-product' : 'shared';
  const record = world.pool(kind, base, quote);
  if (kind === 'constant-product')
    world.pair(record, [
      [base, supply],
      [quote, amount],
    ]);
  else {
    const tick = random.int(-100_000, 100_000);
    const width = random.pick([1, 10, 1_000, 13_000, 40_000]);
    const lower = random.pick([tick - width, tick - 2 * width, tick + 1]);
    world.range(record, tick, lower, lower + width, whole(random.spread(1e-3, amount)));
  }
  world.made.push(record);
}

const COUNT = scaled(300);

describe('the worth of what a user makes', () => {
  it.each([0.001, 0.02, 0.054, 0.25, 0.5, 1, 30])(
    'is not counted again in what is quoted in it (%d of it)',
    (share) => {
      const world = new World(new SeededRandom(1), 1_000);
      const [own, other] = [world.token(), world.token()];
      const first = world.pool('constant-product', own, COIN);
      world.pair(first, [
        [own, 1_000_000],
        [COIN, 100],
      ]);
      const second = world.pool('constant-product', other, own);
      world.pair(second, [
        [other, 1_000],
        [own, 1_000_000 * share],
      ]);
      world.block();
      world.block();
      const { values } = world;
      expect(world.liquidity(first) + world.liquidity(second)).toBeLessThanOrEqual(2 * 100 * COIN_USD * 1.000_001);
      expect(number(values.exit(own)) + number(values.exit(other))).toBeLessThanOrEqual(50 * COIN_USD * 1.000_001);
    },
  );

  it.each(propertySeeds(COUNT))('is no more than his money (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    const depth = random.spread(10, 10_000);
    const world = new World(random, depth);
    const before = number(world.values.usd(HONEST)! / UNIT);
    for (let step = random.int(1, 8); step > 0; step--) {
      attack(world, random, random.spread(0.006, depth / 20));
      if (random.chance(0.6)) world.block();
    }
    world.block();
    const { values } = world;
    const spent = (token: string): number => world.made.reduce((sum, record) => sum + world.heldOf(record, token), 0);
    const [coins, honest] = [spent(COIN), spent(HONEST)];
    const price = number(values.usd(HONEST)! / UNIT);
    const money = coins * COIN_USD + honest * Math.max(price, before);
    const exits = world.tokens.reduce((sum, token) => sum + number(values.exit(token)), 0);
    expect(exits).toBeLessThanOrEqual(money * 1.000_001);
    const liquidity = world.made
      .filter(({ token0, token1 }) => token0 !== HONEST || token1 !== COIN)
      .reduce((sum, record) => sum + world.liquidity(record), 0);
    expect(liquidity).toBeLessThanOrEqual(2 * money * 1.000_001);
    // Of the honest pool's constant product: all of his money buys, or all of his tokens are sold.
    const bought = ((depth + coins) / depth) ** 2;
    const sold = ((depth * 100) / (depth * 100 + honest)) ** 2;
    expect(price / before).toBeLessThanOrEqual(bought * 1.000_001);
    expect(price / before).toBeGreaterThanOrEqual(sold * 0.999_999);
    expect(values.usd(COIN)).toBe(BigInt(COIN_USD) * ONE_E36);
  });
});

/** What a sale down to a quarter of the price brings in whole quote tokens, by small steps over the ranges as they are. */
function soldDown(root: number, ranges: readonly { low: number; high: number; liquidity: number }[]): number {
  const [from, to] = [root / 2, root];
  return ranges.reduce((sum, { low, high, liquidity }) => {
    const [bottom, top] = [Math.max(low, from), Math.min(high, to)];
    return top > bottom ? sum + liquidity * (top - bottom) : sum;
  }, 0);
}

describe('an honest token', () => {
  it.each(propertySeeds(scaled(200)))('has the exit that its pools give (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    const world = new World(random, 1_000);
    const token = world.token();
    let exit = 0;
    for (let pools = random.int(1, 4); pools > 0; pools--) {
      const coins = random.spread(0.2, 100);
      const supply = coins * 1_000;
      if (random.chance(0.5)) {
        world.pair(world.pool('constant-product', token, COIN), [
          [token, supply],
          [COIN, coins],
        ]);
        exit += (coins / 2) * COIN_USD;
        continue;
      }
      // Around one price in ranges from narrow to wide, the token as token 0 or 1.
      const record = world.pool('shared', token, COIN);
      const isToken0 = record.token0 === token;
      const tick = isToken0 ? -69_081 : 69_081;
      const width = random.pick([10, 200, 5_000, 30_000]);
      const liquidity = whole(random.spread(1, 10_000));
      world.range(record, tick, tick - width, tick + width, liquidity);
      const rootAt = (at: number): number => 1.0001 ** (at / 2);
      const low = isToken0 ? rootAt(tick - width) : 1 / rootAt(tick + width);
      const high = isToken0 ? rootAt(tick + width) : 1 / rootAt(tick - width);
      exit += soldDown(rootAt(-69_081), [{ low, high, liquidity: number(liquidity) }]) * COIN_USD;
    }
    world.block();
    const { exitUsd, basis } = world.values.about(token);
    const shown = number(exitUsd!);
    if (exit < 20) return;
    expect(shown).toBeLessThanOrEqual(exit * 1.000_1);
    // A pool below 10 USD counts nothing.
    expect(shown).toBeGreaterThanOrEqual((exit - 4 * 10) * 0.999_9);
    if (exit > 550) expect(basis).toBe('deep');
    expect(number(world.values.usd(token)! / UNIT) / (COIN_USD / 1_000)).toBeCloseTo(1, 2);
  });

  it('keeps its price when it leaves its curve for a pool', () => {
    const world = new World(new SeededRandom(1), 1_000);
    const token = world.token();
    const curve = world.pool('curve', token, COIN);
    const isToken0 = curve.token0 === token;
    for (const [coins, price] of [
      [0.001, 3e-8],
      [1, 4e-8],
      [84, 4e-7],
    ] as const) {
      const root = Math.sqrt(isToken0 ? price : 1 / price);
      world.swap(
        curve,
        [
          [token, -coins / price],
          [COIN, coins],
        ],
        BigInt(Math.round(root * 2 ** 48)) << 48n,
      );
      world.block();
      const { exitUsd, basis } = world.values.about(token);
      expect(basis).toBe('curve');
      expect(number(exitUsd!)).toBeCloseTo(world.heldOf(curve, COIN) * COIN_USD, 3);
      expect(number(world.values.usd(token)! / UNIT) / (price * COIN_USD)).toBeCloseTo(1, 6);
    }
    const held = world.heldOf(curve, COIN);
    world.flow(curve, COIN, -held);
    world.pair(world.pool('constant-product', token, COIN), [
      [token, held / 4.2e-7],
      [COIN, held],
    ]);
    world.block();
    const { exitUsd, basis } = world.values.about(token);
    expect(basis).toBe('deep');
    expect(number(exitUsd!)).toBeCloseTo((held / 2) * COIN_USD, 3);
    expect(number(world.values.usd(token)! / UNIT) / (4.2e-7 * COIN_USD)).toBeCloseTo(1, 6);
  });
});
