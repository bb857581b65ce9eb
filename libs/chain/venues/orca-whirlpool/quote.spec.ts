import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  sqrtPriceToTickIndex,
  swapQuoteByInputToken,
  swapQuoteByOutputToken,
  tickIndexToSqrtPrice,
} from '@orca-so/whirlpools-core';
import { MAX_TICK, MIN_TICK, whirlpoolPrices, whirlpoolTickAt } from '#libs/chain/amm/q64/tick-price.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { withoutSteps } from '#libs/chain/market-ports/solana/test/without-steps.js';
import { expectLeastInput } from '#libs/devkit/testing/amm/least-input.js';
import { largest, randomAmounts } from '#libs/devkit/testing/amm/random-ticks.js';
import { oneSeedAsked, propertySeeds, SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { orcaWhirlpoolPools } from './quote.js';
import { growingArrayData, MINTS, owned, tickArrayOf, VAULTS } from './test/accounts.js';
import {
  accountsOf,
  arraysFor,
  facadeOf,
  oracleFor,
  POOL,
  programStarts,
  randomWorld,
  type World,
} from './test/pool-world.js';

const LAST_U64 = (1n << 64n) - 1n;
/** Time for the full count on a busy machine. */
const SLOW = 15 * 60_000;

const read = (world: World): SolanaPoolState | null =>
  orcaWhirlpoolPools.read(POOL, accountsOf(world), { slot: 1n, unixTime: world.now });

/** What the SDK computes, in the terms of the contract: a swap that is filled in part or gives nothing is none. */
function sdkQuotes(world: World, aToB: boolean) {
  const rest = [0, facadeOf(world), oracleFor(world), arraysFor(world, aToB), world.now] as const;
  return (amount: bigint, exactIn: boolean) => {
    try {
      if (exactIn) {
        const { tokenIn, tokenEstOut, tradeFee } = swapQuoteByInputToken(amount, aToB, ...rest);
        if (tokenIn !== amount || tokenEstOut === 0n) return null;
        return { amountIn: tokenIn, amountOut: tokenEstOut, fee: tradeFee, feeSide: 'input' };
      }
      const { tokenOut, tokenEstIn, tradeFee } = swapQuoteByOutputToken(amount, !aToB, ...rest);
      if (tokenOut !== amount) return null;
      return { amountIn: tokenEstIn, amountOut: tokenOut, fee: tradeFee, feeSide: 'input' };
    } catch {
      return null;
    }
  };
}

const seed = testSeed(1);

describe('Orca Whirlpool quotes', () => {
  it(
    'has the prices of every tick and the ticks of prices around them',
    () => {
      const random = new SeededRandom(seed);
      const ticks = Array.from({ length: scaled(20_000) }, () => random.int(MIN_TICK, MAX_TICK));
      for (const tick of [MIN_TICK, -1, 0, 1, MAX_TICK, ...ticks]) {
        const price = whirlpoolPrices.at(tick);
        expect({ seed, tick, price }).toEqual({ seed, tick, price: tickIndexToSqrtPrice(tick) });
        for (const near of [price - 1n, price, price + BigInt(random.int(1, 2 ** 30))]) {
          const at = whirlpoolTickAt(near);
          if (near >= whirlpoolPrices.minSqrtPrice && near <= whirlpoolPrices.maxSqrtPrice)
            expect({ seed, near, at }).toEqual({ seed, near, at: sqrtPriceToTickIndex(near) });
        }
      }
      expect(whirlpoolPrices.at(MIN_TICK)).toBe(whirlpoolPrices.minSqrtPrice);
      expect(whirlpoolPrices.at(MAX_TICK)).toBe(whirlpoolPrices.maxSqrtPrice);
    },
    SLOW,
  );

  it('gives the quotes that the SDK publishes', () => {
    const file = join(process.cwd(), 'libs/chain/venues/orca-whirlpool/fixtures/quote-vectors.json');
    const { vectors } = JSON.parse(readFileSync(file, 'utf8'));
    expect(vectors).toHaveLength(2);
    for (const { test, amount, specified_token_a: aToB, sufficient_liquidity: rich, expected } of vectors) {
      const swap = read(published(rich ? 100_000_000n : 265_000n))!.exactIn(aToB, BigInt(amount))!;
      expect({ test, in: swap.amountIn, out: swap.amountOut, fee: swap.fee }).toEqual({
        test,
        in: BigInt(expected.token_in),
        out: BigInt(expected.token_est_out),
        fee: BigInt(expected.trade_fee),
      });
    }
    // The other quotes of the same source.
    const scarce = read(published(265_000n))!;
    expect(scarce.exactIn(false, 1000n)).toMatchObject({ amountOut: 918n, fee: 39n });
    expect(scarce.exactOut(true, 1000n)).toMatchObject({ amountIn: 1088n, fee: 42n });
    expect(scarce.exactOut(false, 1000n)).toMatchObject({ amountIn: 1088n, fee: 42n });
    expect(scarce.exactIn(true, 3428n)).toMatchObject({ amountIn: 3428n });
    expect(scarce.exactIn(true, 3429n)).toBeNull();
  });

  it(
    'agrees with the SDK to the unit in random pools, amounts and both directions',
    () => {
      const seen = { quotes: 0, refused: 0, adaptive: 0 };
      for (const each of propertySeeds(scaled(1000))) {
        const random = new SeededRandom(each);
        const world = randomWorld(random, 90);
        const state = read(world)!;
        for (const aToB of [true, false]) {
          const sdk = sdkQuotes(world, aToB);
          const last = largest((amount) => state.exactIn(aToB, amount) !== null);
          for (const amount of [...randomAmounts(random), last, last + 1n]) {
            if (amount === 0n || amount > LAST_U64) continue;
            const exactIn = amount === last || amount === last + 1n || random.chance(0.5);
            const swap = exactIn ? state.exactIn(aToB, amount) : state.exactOut(aToB, amount);
            const request = { TIDEPOOL_TEST_SEED: each, aToB, amount, exactIn };
            // Past the last tick of the last array the SDK continues, the program does not.
            if (swap === null && !aToB && endsAtTick(world)) continue;
            expect({ ...request, swap: withoutSteps(swap) }).toEqual({ ...request, swap: sdk(amount, exactIn) });
            if (swap === null) seen.refused++;
            else seen.quotes++;
            if (swap !== null && world.oracle !== null) seen.adaptive++;
          }
        }
      }
      if (!oneSeedAsked) {
        expect(seen.quotes).toBeGreaterThan(seen.refused / 3);
        expect(seen.adaptive).toBeGreaterThan(scaled(500));
      }
    },
    SLOW,
  );

  it(
    'gives the least input for an output, but for a tick that the program goes to whole',
    () => expectLeastInput((random) => read(randomWorld(random, 80))!),
    SLOW,
  );

  it(
    'states identity, reserves and spot, and asks for the accounts that it reads',
    () => {
      for (const each of propertySeeds(scaled(200), 20_000)) {
        const world = { ...randomWorld(new SeededRandom(each), 60), vaults: [5_000n, 7_000n] as [bigint, bigint] };
        const known = accountsOf(world);
        const pool = known.get(POOL)!;
        expect(orcaWhirlpoolPools.identity(pool.data)).toEqual({
          mintA: MINTS[0],
          mintB: MINTS[1],
          vaultA: VAULTS[0],
          vaultB: VAULTS[1],
          feePpm: world.feeRate,
          spacing: world.tickSpacing,
        });
        const needed = orcaWhirlpoolPools.needs(POOL, new Map([[POOL, pool]]));
        expect({ each, needed: [...needed, POOL].sort() }).toEqual({ each, needed: [...known.keys()].sort() });
        expect(orcaWhirlpoolPools.needs(POOL, known).toSorted()).toEqual(needed.toSorted());
        const state = read(world)!;
        expect(state.reserveA).toBe(5_000n - world.protocolFees[0]);
        expect(state.reserveB).toBe(7_000n - world.protocolFees[1]);
        expect(state.spot).toEqual({ numerator: world.sqrtPrice ** 2n, denominator: 1n << 128n });
        for (const missing of needed) {
          const without = new Map(known);
          without.delete(missing);
          const at = { slot: 1n, unixTime: world.now };
          expect({ each, missing, state: orcaWhirlpoolPools.read(POOL, without, at) }).toEqual({
            each,
            missing,
            state: null,
          });
        }
      }
    },
    SLOW,
  );

  it('gives no more than a vault holds, and nothing before trade is enabled', () => {
    const world = published(100_000_000n);
    const { amountOut } = read(world)!.exactIn(true, 1000n)!;
    expect(read({ ...world, vaults: [LAST_U64, amountOut] })!.exactIn(true, 1000n)).not.toBeNull();
    expect(read({ ...world, vaults: [LAST_U64, amountOut - 1n] })!.exactIn(true, 1000n)).toBeNull();
    let adaptive = randomWorld(new SeededRandom(1), 60);
    for (let n = 2; adaptive.oracle === null; n++) adaptive = randomWorld(new SeededRandom(n), 60);
    const enabledAt = (time: bigint) =>
      read({ ...adaptive, oracle: { ...adaptive.oracle!, tradeEnableTimestamp: time } });
    expect(enabledAt(adaptive.now)).not.toBeNull();
    expect(enabledAt(adaptive.now + 1n)).toBeNull();
  });

  it('goes upwards as far as the last tick of the third array and no further where that one is initialized', () => {
    const world = published(100_000_000n);
    expect(endsAtTick(world)).toBe(true);
    const last = largest((amount) => read(world)!.exactIn(false, amount) !== null);
    expect(sdkQuotes(world, false)(last, true)).toEqual(withoutSteps(read(world)!.exactIn(false, last)));
    // The program crosses the tick, is outside of its arrays and fails with 6038; the SDK continues.
    expect(read(world)!.exactIn(false, last + 1n)).toBeNull();
    expect(sdkQuotes(world, false)(last + 1n, true)).not.toBeNull();
    const open = { ...world, ticks: new Map([...world.ticks].filter(([tick]) => tick !== 526)) };
    expect(endsAtTick(open)).toBe(false);
    expect(withoutSteps(read(open)!.exactIn(false, last + 1n))).toEqual(sdkQuotes(open, false)(last + 1n, true));
    expect(read(open)!.exactIn(false, last + 1n)).not.toBeNull();
  });

  it('refuses products that the program cannot hold, where the SDK cuts them', () => {
    // liquidity · price difference reaches 2^192, which the program shifts by 64 bits into 256.
    const liquidity = 1n << 127n;
    const world = { ...published(liquidity), tickSpacing: 32896, ticks: new Map() };
    expect(sdkQuotes(world, false)(1_000_000n, false)).not.toBeNull();
    expect(read(world)!.exactOut(false, 1_000_000n)).toBeNull();
  });

  it(
    'takes longer accounts, and gives null for short or foreign ones',
    () => {
      const world = { ...published(265_000n), stored: () => 'growing' as const };
      const known = accountsOf(world);
      const at = { slot: 1n, unixTime: world.now };
      const quote = read(world)!.exactIn(true, 1000n);
      const longer = new Map(
        [...known].map(([key, account]) => [key, account && lengthened(account.data, account.owner)]),
      );
      longer.set(VAULTS[0], known.get(VAULTS[0])!).set(VAULTS[1], known.get(VAULTS[1])!);
      expect(orcaWhirlpoolPools.read(POOL, longer, at)!.exactIn(true, 1000n)).toEqual(quote);
      const random = new SeededRandom(seed);
      for (const [key, account] of known) {
        const { data, owner } = account!;
        const cuts = Array.from({ length: 40 }, () => random.int(0, data.length - 1));
        for (const length of [0, 7, 8, data.length - 1, ...cuts]) {
          const short = new Map(known).set(key, owned(data.slice(0, length), owner));
          // The last 128 bytes of no account here are read; whatever is read is there.
          const state = orcaWhirlpoolPools.read(POOL, short, at);
          if (length < data.length - 1) expect({ key, length, state }).toEqual({ key, length, state: null });
          if (key === POOL) expect(orcaWhirlpoolPools.identity(data.slice(0, length))).toBeNull();
        }
        const foreign = new Map(known).set(key, owned(data, POOL));
        expect(orcaWhirlpoolPools.read(POOL, foreign, at)).toBeNull();
        for (let n = 0; n < scaled(300); n++) {
          const noise = data.slice();
          for (let i = random.int(1, 6); i > 0; i--) noise[random.int(8, noise.length - 1)] = random.int(0, 255);
          const state = orcaWhirlpoolPools.read(POOL, new Map(known).set(key, owned(noise, owner)), at);
          for (const aToB of [true, false]) {
            state?.exactIn(aToB, 1_000_000n);
            state?.exactOut(aToB, 1_000n);
          }
        }
      }
      const other = growingArrayData(POOL, 88, []);
      const wrong = new Map(known).set(tickArrayOf(POOL, 0), owned(other));
      expect(orcaWhirlpoolPools.read(POOL, wrong, at)).toBeNull();
    },
    SLOW,
  );
});

/** Whether the last tick that a swap upwards can come to in its arrays is initialized, before their end. */
function endsAtTick(world: World): boolean {
  const last = programStarts(world, false).at(-1);
  return last !== undefined && world.tickSpacing > 1 && world.ticks.has(last + 87 * world.tickSpacing);
}

const lengthened = (data: Uint8Array, owner: string) =>
  owned(Uint8Array.from([...data, ...new Uint8Array(64).fill(7)]), owner);

/** The pool of the SDK's own tests: spacing 2, price 1, every tick initialized. */
function published(liquidity: bigint): World {
  const ticks = new Map<number, { net: bigint; gross: bigint }>();
  for (let tick = -352; tick < 528; tick += 2) ticks.set(tick, { net: tick < 0 ? 1000n : -1000n, gross: 1000n });
  return {
    tickSpacing: 2,
    feeRate: 3000,
    liquidity,
    sqrtPrice: 1n << 64n,
    tick: 0,
    ticks,
    oracle: null,
    now: 1_700_000_000n,
    protocolFees: [0n, 0n],
    vaults: [LAST_U64, LAST_U64],
    stored: () => 'fixed',
  };
}
