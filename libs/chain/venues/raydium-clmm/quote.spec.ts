import { clmmPrices, MAX_TICK, MIN_TICK } from '#libs/chain/amm/q64/tick-price.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { withoutSteps } from '#libs/chain/market-ports/solana/test/without-steps.js';
import { expectLeastInput } from '#libs/devkit/testing/amm/least-input.js';
import { largest, randomAmounts } from '#libs/devkit/testing/amm/random-ticks.js';
import {
  isHunt,
  oneSeedAsked,
  propertySeeds,
  SeededRandom,
  scaled,
  testSeed,
} from '#libs/devkit/testing/seeded-random.js';
import { ARRAYS_PER_SWAP, raydiumClmmPools } from './quote.js';
import { isFeeOnInput } from './swap.js';
import {
  accountsOf,
  arrayAddress,
  CONFIG,
  EXTENSION,
  MINTS,
  owned,
  POOL,
  randomWorld,
  sdkAccountsOf,
  VAULTS,
  type World,
} from './test/pool-world.js';
import { type SdkAccounts, Stalled, sdk, sdkStarts, sdkSwap } from './test/sdk.js';

const LAST_U64 = (1n << 64n) - 1n;
/** Time for the full count on a busy machine. */
const SLOW = 15 * 60_000;
const seed = testSeed(1);

/** Asks for accounts until nothing new is named, as a caller does; what was asked for, and what came. */
function fetchAll(world: World, accounts: SdkAccounts) {
  const exist = accountsOf(world, accounts);
  const known = new Map<string, SolanaAccount | null>([[POOL, exist.get(POOL)!]]);
  const starts = new Set([true, false].flatMap((aToB) => sdkStarts(accounts, aToB, ARRAYS_PER_SWAP)));
  for (const start of starts) exist.set(arrayAddress(start), owned(accounts.array(start)));
  for (let rounds = 0; ; rounds++) {
    const missing = raydiumClmmPools.needs(POOL, known).filter((address) => !known.has(address));
    if (missing.length === 0) return { known, rounds, exist };
    for (const address of missing) known.set(address, exist.get(address) ?? null);
  }
}

const read = (world: World, known: ReadonlyMap<string, SolanaAccount | null>): SolanaPoolState | null =>
  raydiumClmmPools.read(POOL, known, { slot: 1n, unixTime: world.now });

describe('Raydium CLMM quotes', () => {
  it(
    'has the prices of every tick',
    () => {
      const random = new SeededRandom(seed);
      const ticks = Array.from({ length: scaled(20_000) }, () => random.int(MIN_TICK, MAX_TICK));
      for (const tick of [MIN_TICK, -1, 0, 1, MAX_TICK, ...ticks]) {
        const price = BigInt(sdk.TickUtil.getSqrtPriceAtTick(tick).toString());
        expect({ seed, tick, price: clmmPrices.at(tick) }).toEqual({ seed, tick, price });
      }
      expect(clmmPrices.at(MIN_TICK)).toBe(clmmPrices.minSqrtPrice);
      expect(clmmPrices.at(MAX_TICK)).toBe(clmmPrices.maxSqrtPrice);
    },
    SLOW,
  );

  it(
    'agrees with the SDK to the unit in random pools, amounts and both directions',
    () => {
      const seen = { quotes: 0, refused: 0, dynamic: 0, onOutput: 0, orders: 0, stalled: 0 };
      for (const each of propertySeeds(scaled(1000))) {
        const random = new SeededRandom(each);
        const world = randomWorld(random, 90);
        const accounts = sdkAccountsOf(world);
        const state = read(world, fetchAll(world, accounts).known)!;
        for (const aToB of [true, false]) {
          const starts = sdkStarts(accounts, aToB, ARRAYS_PER_SWAP);
          const feeSide = isFeeOnInput(world, aToB) ? 'input' : 'output';
          const last = largest((amount) => state.exactIn(aToB, amount) !== null);
          for (const amount of [...randomAmounts(random), last, last + 1n]) {
            if (amount === 0n || amount > LAST_U64) continue;
            for (const exactIn of [true, false]) {
              // The SDK has no 64 bits: an output with its fee on top may pass them.
              if (amount >> 63n !== 0n && !exactIn) continue;
              const swap = exactIn ? state.exactIn(aToB, amount) : state.exactOut(aToB, amount);
              const request = { TIDEPOOL_TEST_SEED: each, aToB, amount, exactIn };
              try {
                const wanted = sdkSwap(accounts, starts, aToB, amount, exactIn, world.now);
                expect({ ...request, swap: withoutSteps(swap) }).toEqual({
                  ...request,
                  swap: wanted && { ...wanted, feeSide },
                });
              } catch (error) {
                if (!(error instanceof Stalled)) throw error;
                seen.stalled++;
                continue;
              }
              if (swap === null) seen.refused++;
              else {
                seen.quotes++;
                if (world.dynamicFee !== null) seen.dynamic++;
                if (feeSide === 'output') seen.onOutput++;
                if (world.orders.size > 0) seen.orders++;
              }
            }
          }
        }
      }
      if (!oneSeedAsked) {
        const some = scaled(500);
        expect(seen.quotes).toBeGreaterThan(seen.refused / 3);
        expect([seen.dynamic > some, seen.onOutput > some, seen.orders > some]).toEqual([true, true, true]);
        expect(seen.stalled).toBeLessThan(seen.quotes / (isHunt ? 20 : 50));
      }
    },
    SLOW,
  );

  it(
    'gives the least input for an output, but for a tick that the program goes to whole',
    () =>
      expectLeastInput((random) => {
        const world = randomWorld(random, 80);
        return read(world, fetchAll(world, sdkAccountsOf(world)).known)!;
      }),
    SLOW,
  );

  it(
    'states identity, reserves and spot, and asks for the arrays that the SDK finds',
    () => {
      let extended = 0;
      for (const each of propertySeeds(scaled(500), 20_000)) {
        const world = { ...randomWorld(new SeededRandom(each), 60), vaults: [5_000n, 7_000n] as [bigint, bigint] };
        const accounts = sdkAccountsOf(world);
        const { known, rounds } = fetchAll(world, accounts);
        expect({ each, rounds: rounds <= 2 }).toEqual({ each, rounds: true });
        const starts = [true, false].flatMap((aToB) => sdkStarts(accounts, aToB, ARRAYS_PER_SWAP));
        const arrays = [...new Set(starts)].map(arrayAddress);
        const others = [POOL, CONFIG, ...VAULTS, EXTENSION];
        if (known.has(EXTENSION)) extended++;
        expect({ each, arrays: [...known.keys()].filter((address) => !others.includes(address)).sort() }).toEqual({
          each,
          arrays: arrays.sort(),
        });
        expect([...known.values()].includes(null)).toBe(false);
        expect(raydiumClmmPools.identity(accounts.pool)).toEqual({
          mintA: MINTS[0],
          mintB: MINTS[1],
          vaultA: VAULTS[0],
          vaultB: VAULTS[1],
          feePpm: 0,
          spacing: world.spacing,
        });
        const state = read(world, known)!;
        expect([state.reserveA, state.reserveB]).toEqual([5_000n - 31n, 7_000n - 42n]);
        expect(state.spot).toEqual({ numerator: world.sqrtPrice ** 2n, denominator: 1n << 128n });
        for (const address of known.keys()) {
          const without = new Map(known);
          without.delete(address);
          expect({ each, address, state: read(world, without) }).toEqual({ each, address, state: null });
        }
      }
      if (!oneSeedAsked) expect(extended).toBeGreaterThan(scaled(500) / 10);
    },
    SLOW,
  );

  it('gives no more than a vault holds, and nothing while swaps are off or before the pool opens', () => {
    const world = wide();
    const { known } = fetchAll(world, sdkAccountsOf(world));
    const { amountOut } = read(world, known)!.exactIn(true, 1000n)!;
    const changed = (change: Partial<World>) => {
      const other = { ...world, ...change };
      return read(other, fetchAll(other, sdkAccountsOf(other)).known);
    };
    expect(changed({ vaults: [LAST_U64, amountOut] })!.exactIn(true, 1000n)).not.toBeNull();
    expect(changed({ vaults: [LAST_U64, amountOut - 1n] })!.exactIn(true, 1000n)).toBeNull();
    expect(changed({ status: 1 << 4 })).toBeNull();
    expect(changed({ openTime: world.now - 1n })).not.toBeNull();
    expect(changed({ openTime: world.now })).toBeNull();
  });

  it('takes a fee that leaves nothing for an order, as the program does', () => {
    // One unit at the very tick of an order: all of it is fee, and the next unit still finds the whole order.
    const world = { ...wide(), orders: new Map([[60, { waiting: 500n, partFilled: 0n }]]), tick: 59 };
    const onTick = { ...world, sqrtPrice: clmmPrices.at(60) };
    const state = read(onTick, fetchAll(onTick, sdkAccountsOf(onTick)).known)!;
    expect(state.exactIn(false, 1n)).toBeNull();
    const { amountIn, amountOut, fee } = state.exactIn(false, 101n)!;
    // price 1.0001^60 = 1.006018: 101 less a fee of 1 buys 99 whole units.
    expect([amountIn, amountOut, fee]).toEqual([101n, 99n, 1n]);
    expect(() =>
      sdkSwap(sdkAccountsOf(onTick), sdkStarts(sdkAccountsOf(onTick), false, 5), false, 1n, true, onTick.now),
    ).toThrow(Stalled);
  });

  it(
    'takes longer accounts, and gives null for short or foreign ones',
    () => {
      const world = wide();
      const { known } = fetchAll(world, sdkAccountsOf(world));
      const quote = read(world, known)!.exactIn(true, 1000n);
      expect(quote).not.toBeNull();
      const random = new SeededRandom(seed);
      for (const [address, account] of known) {
        const { data, owner } = account!;
        if (!VAULTS.includes(address)) {
          const longer = owned(Uint8Array.from([...data, ...new Uint8Array(64).fill(7)]), owner);
          expect(read(world, new Map(known).set(address, longer))!.exactIn(true, 1000n)).toEqual(quote);
        }
        expect(read(world, new Map(known).set(address, owned(data, POOL)))).toBeNull();
        const least = address === CONFIG ? 57 : address === POOL ? 1544 : data.length - 120;
        for (const length of [0, 7, 8, least - 1, ...Array.from({ length: 40 }, () => random.int(0, least - 1))]) {
          const state = read(world, new Map(known).set(address, owned(data.slice(0, length), owner)));
          expect({ address, length, state }).toEqual({ address, length, state: null });
          if (address === POOL) expect(raydiumClmmPools.identity(data.slice(0, length))).toBeNull();
        }
        for (let n = 0; n < scaled(300); n++) {
          const noise = data.slice();
          for (let i = random.int(1, 6); i > 0; i--) noise[random.int(8, noise.length - 1)] = random.int(0, 255);
          const spoilt = new Map(known).set(address, owned(noise, owner));
          raydiumClmmPools.needs(POOL, spoilt);
          const state = read(world, spoilt);
          for (const aToB of [true, false]) {
            state?.exactIn(aToB, 1_000_000n);
            state?.exactOut(aToB, 1_000n);
          }
        }
      }
    },
    SLOW,
  );
});

/** One position from end to end at price 1, spacing 60. */
function wide(): World {
  const liquidity = 1_000_000_000n;
  return {
    ...randomWorld(new SeededRandom(1), 60),
    spacing: 60,
    tick: 0,
    sqrtPrice: 1n << 64n,
    liquidity,
    ticks: new Map([
      [-443580, { net: liquidity, gross: liquidity }],
      [443580, { net: -liquidity, gross: liquidity }],
    ]),
    orders: new Map(),
    tradeFeeRate: 2_500,
    feeOn: 0,
    dynamicFee: null,
    status: 0,
  };
}
