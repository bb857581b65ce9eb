import type { ChainMoment } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { amountsAround } from '#libs/chain/market-ports/solana/test/random-amounts.js';
import { least } from '#libs/core/bigint-order.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { readDbcConfig, readDbcPool } from './account.js';
import { meteoraDbc } from './decode.js';
import { meteoraDbcPools, quoteMint } from './quote.js';
import { type RandomCurve, randomCurve, sdkAccounts, sdkSwap } from './test/random-curve.js';

const POOL = 'pool';
const owned = (data: Uint8Array) => ({ owner: meteoraDbc.program, lamports: 0n, data });

function read({ pool, config, configKey }: RandomCurve, at: ChainMoment): SolanaPoolState | null {
  const known = new Map([[POOL, owned(pool)]]);
  expect(meteoraDbcPools.needs(POOL, known)).toEqual([configKey]);
  expect(meteoraDbcPools.read(POOL, known, at)).toBeNull();
  known.set(configKey, owned(config));
  return meteoraDbcPools.read(POOL, known, at);
}

const moment = ({ point, bySlot }: RandomCurve): ChainMoment =>
  bySlot ? { slot: point, unixTime: 5n } : { slot: 5n, unixTime: point };
const FEE_MODE = 130;
const COLLECT = 232;
const RATE_LIMITER = 2;

describe('Meteora bonding curve quotes', () => {
  it('of random curves are those of the package to the unit, in every mode of both fees', () => {
    const swaps = new Map<string, number>();
    const seeds = propertySeeds(scaled(1000, 100));
    for (const seed of seeds) {
      const random = new SeededRandom(seed);
      const curve = randomCurve(random);
      const state = read(curve, moment(curve));
      const accounts = sdkAccounts(curve);
      for (const sell of [true, false]) {
        const [input, output] = sell ? [curve.baseBelow, curve.quoteBelow] : [curve.quoteLeft, curve.baseLeft];
        for (const exactIn of [true, false]) {
          for (const amount of amountsAround(random, exactIn ? input : output, 4)) {
            const mine = (exactIn ? state?.exactIn(sell, amount) : state?.exactOut(sell, amount)) ?? null;
            const theirs = sdkSwap(accounts, curve.point, sell, exactIn, amount);
            const context = { seed, sell, exactIn, amount };
            const swap = mine && { amountIn: mine.amountIn, amountOut: mine.amountOut, fee: mine.fee };
            expect({ ...context, swap }).toEqual({ ...context, swap: theirs });
            const kind = `fee ${curve.config[FEE_MODE]}, on ${curve.config[COLLECT]}`;
            if (mine) swaps.set(kind, (swaps.get(kind) ?? 0) + 1);
          }
        }
      }
    }
    if (seeds.length > 1) expect([...swaps.keys()]).toHaveLength(5);
  });

  /**
   * An exact output rounds the output of every segment that it passes down by up to one unit, and its end to one unit of the
   * Q64.64 price: `slack` is what that unit and the segments are worth in the input, fee included. The rate limiter's way
   * back from an amount after fees is not the exact inverse of the way there.
   */
  it('ask for the least input, up to their roundings of price and segments', () => {
    let swaps = 0;
    for (const seed of propertySeeds(scaled(1000))) {
      const random = new SeededRandom(seed);
      const curve = randomCurve(random);
      const state = read(curve, moment(curve));
      const { curve: points, sqrtStartPrice } = readDbcConfig(curve.config)!;
      const segments = BigInt(points.filter(({ liquidity }) => liquidity > 0n).length);
      const deepest = points.reduce((most, { liquidity }) => -least(-most, -liquidity), 0n);
      for (const sell of [true, false]) {
        if (!sell && curve.config[FEE_MODE] === RATE_LIMITER) continue;
        for (const wanted of amountsAround(random, sell ? curve.quoteBelow : curve.baseLeft, 4)) {
          const swap = state?.exactOut(sell, wanted);
          if (!swap) continue;
          swaps++;
          const unit = sell ? deepest / (sqrtStartPrice * sqrtStartPrice) : deepest >> 128n;
          const net = swap.feeSide === 'input' ? swap.amountIn - swap.fee : swap.amountIn;
          const slack = ((unit + 20n) * 2n * swap.amountIn) / net;
          const less = state!.exactIn(sell, swap.amountIn - slack)?.amountOut ?? 0n;
          const back = state!.exactIn(sell, swap.amountIn)?.amountOut ?? wanted;
          const seen = { seed, sell, wanted, less: less < wanted + segments, enough: back >= wanted };
          expect(seen).toEqual({ seed, sell, wanted, less: true, enough: true });
        }
      }
    }
    expect(swaps).toBeGreaterThan(0);
  });
});

describe('Meteora bonding curves', () => {
  const curve = randomCurve(new SeededRandom(5));
  const known = new Map([
    [POOL, owned(curve.pool)],
    [curve.configKey, owned(curve.config)],
  ]);

  it('name their base token and vaults, the config the quote token', () => {
    const { mintA, mintB, feePpm, spacing } = meteoraDbcPools.identity(curve.pool)!;
    expect({ mintA, mintB, feePpm, spacing }).toEqual({ mintA: curve.mints.base, mintB: '', feePpm: 0, spacing: 0 });
    expect(quoteMint(curve.config)).toBe(curve.mints.quote);
    expect(quoteMint(curve.pool)).toBeNull();
    expect(meteoraDbcPools.identity(curve.config)).toBeNull();
  });

  it('trade until they are complete', () => {
    const at = moment(curve);
    const state = meteoraDbcPools.read(POOL, known, at)!;
    const { sqrtPrice, baseReserve, quoteReserve } = readDbcPool(curve.pool)!;
    expect(state.spot).toEqual({ numerator: sqrtPrice * sqrtPrice, denominator: 2n ** 128n });
    expect([state.reserveA, state.reserveB]).toEqual([baseReserve, quoteReserve]);
    const complete = Buffer.from(curve.config);
    complete.writeBigUInt64LE(quoteReserve, 264);
    expect(meteoraDbcPools.read(POOL, new Map(known).set(curve.configKey, owned(complete)), at)).toBeNull();
    const foreign = { ...owned(curve.config), owner: POOL };
    expect(meteoraDbcPools.read(POOL, new Map(known).set(curve.configKey, foreign), at)).toBeNull();
  });

  it('refuse the purchase that completes them without the base tokens that the migration needs', () => {
    let refused = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomCurve(new SeededRandom(seed));
      const state = read(random, moment(random));
      if (state === null) continue;
      const { migrationQuoteThreshold } = readDbcConfig(random.config)!;
      const scarce = Buffer.from(random.config);
      scarce.writeBigUInt64LE(2n ** 63n, 272);
      const starved = read({ ...random, config: scarce }, moment(random))!;
      let taken = 0n;
      for (let step = 1n << 60n; step > 0n; step >>= 1n) {
        const amount = taken + step;
        const swap = state.exactIn(false, amount);
        if (swap !== null) taken = amount;
        if (swap === null) continue;
        const net = swap.feeSide === 'input' ? swap.amountIn - swap.fee : swap.amountIn;
        const completes = state.reserveB + net >= migrationQuoteThreshold;
        expect({ seed, amount, swap: starved.exactIn(false, amount) }).toEqual({
          seed,
          amount,
          swap: completes ? null : swap,
        });
        if (completes) refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it('whose data are short or of another account are none, which never throws; longer data are read alike', () => {
    for (const [data, parse, least] of [
      [curve.pool, readDbcPool, 312],
      [curve.config, readDbcConfig, 1048],
    ] as const) {
      expect(parse(Uint8Array.from([...data, ...new Array(64).fill(9)]))).toEqual(parse(data));
      for (let length = 0; length < data.length; length++) {
        expect({ length, none: parse(data.subarray(0, length)) === null }).toEqual({ length, none: length < least });
      }
      const other = Buffer.from(data);
      other.writeUInt8(other[0]! ^ 1, 0);
      expect(parse(other)).toBeNull();
    }
    expect(meteoraDbcPools.needs(POOL, new Map())).toEqual([]);
  });

  it('of random bytes behind the right heads never throw', () => {
    for (const seed of propertySeeds(scaled(3000))) {
      const random = new SeededRandom(seed);
      const spoilt = randomCurve(random);
      for (let i = random.int(1, 40); i > 0; i--) {
        spoilt.pool[random.pick([random.int(8, 71), random.int(232, 311)])] = random.int(0, 255);
        spoilt.config[random.int(40, 1047)] = random.int(0, 255);
      }
      const state = read(spoilt, moment(spoilt));
      for (const amount of [-1n, 0n, 1n, 10n ** 12n, 2n ** 64n - 1n, 2n ** 64n]) {
        for (const sell of [true, false]) {
          state?.exactIn(sell, amount);
          state?.exactOut(sell, amount);
        }
      }
    }
  });
});
