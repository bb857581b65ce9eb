import type { ChainMoment } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { amountsAround } from '#libs/chain/market-ports/solana/test/random-amounts.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { readDammPool } from './account.js';
import { meteoraDammV2 } from './decode.js';
import { meteoraDammV2Pools } from './quote.js';
import { decodePool, randomPool, sdkSwap } from './test/random-pool.js';

const POOL = 'pool';
const account = (data: Uint8Array) => ({ owner: meteoraDammV2.program, lamports: 0n, data });
const read = (data: Uint8Array, at: ChainMoment): SolanaPoolState | null =>
  meteoraDammV2Pools.read(POOL, new Map([[POOL, account(data)]]), at);
const moment = ({ point, bySlot }: { point: bigint; bySlot: boolean }): ChainMoment =>
  bySlot ? { slot: point, unixTime: 5n } : { slot: 5n, unixTime: point };

const MODE = 16;
const COLLECT = 484;
const ACTIVATION = 472;
const STATUS = 481;
const RATE_LIMITER = 2;

describe('Meteora DAMM v2 quotes', () => {
  it('of random pools are those of the package to the unit, in every mode of both fees', () => {
    const swaps = new Map<string, number>();
    const seeds = propertySeeds(scaled(1000, 100));
    for (const seed of seeds) {
      const random = new SeededRandom(seed);
      const { data, point, bySlot, reserveA, reserveB } = randomPool(random);
      const state = read(data, moment({ point, bySlot }));
      const pool = decodePool(data);
      for (const aToB of [true, false]) {
        const [input, output] = aToB ? [reserveA, reserveB] : [reserveB, reserveA];
        for (const exactIn of [true, false]) {
          for (const amount of amountsAround(random, exactIn ? input : output, 4)) {
            const mine = (exactIn ? state?.exactIn(aToB, amount) : state?.exactOut(aToB, amount)) ?? null;
            const theirs = sdkSwap(pool, point, aToB, exactIn, amount);
            const context = { seed, aToB, exactIn, amount, mode: data[MODE], collect: data[COLLECT] };
            const swap = mine && { amountIn: mine.amountIn, amountOut: mine.amountOut, fee: mine.fee };
            expect({ ...context, swap }).toEqual({ ...context, swap: theirs });
            const kind = `fee ${data[MODE]}, on ${data[COLLECT]}`;
            if (mine) swaps.set(kind, (swaps.get(kind) ?? 0) + 1);
          }
        }
      }
    }
    if (seeds.length > 1) expect([...swaps.keys()]).toHaveLength(15);
  });

  /**
   * An exact output is rounded up to whole units of the input. One unit may then be more than the price range takes; and the
   * rate limiter's way back from an amount after fees is not the exact inverse of the way there.
   */
  it('ask for the least input: one unit less gives less', () => {
    let swaps = 0;
    for (const seed of propertySeeds(scaled(1000))) {
      const random = new SeededRandom(seed);
      const { data, reserveA, reserveB, ...when } = randomPool(random);
      const state = read(data, moment(when));
      for (const aToB of [true, false]) {
        if (!aToB && data[MODE] === RATE_LIMITER) continue;
        for (const wanted of amountsAround(random, aToB ? reserveB : reserveA, 4)) {
          const swap = state?.exactOut(aToB, wanted);
          if (!swap) continue;
          swaps++;
          const less = state!.exactIn(aToB, swap.amountIn - 1n)?.amountOut ?? 0n;
          const back = state!.exactIn(aToB, swap.amountIn)?.amountOut ?? wanted;
          const seen = { seed, aToB, wanted, less: less < wanted, enough: back >= wanted };
          expect(seen).toEqual({ seed, aToB, wanted, less: true, enough: true });
        }
      }
    }
    expect(swaps).toBeGreaterThan(0);
  });
});

describe('Meteora DAMM v2 pools', () => {
  const { data, ...when } = randomPool(new SeededRandom(3));
  const open = (edit: (data: Buffer) => void = () => undefined, at = moment(when)): SolanaPoolState | null => {
    const copy = Buffer.from(data);
    copy.writeUInt8(0, STATUS);
    edit(copy);
    return read(copy, at);
  };

  it('name their mints, vaults and constant fee, and need no other account', () => {
    const pool = decodePool(data);
    const { mintA, mintB, vaultA, vaultB, spacing } = meteoraDammV2Pools.identity(data)!;
    expect({ mintA, mintB, vaultA, vaultB, spacing }).toEqual({
      mintA: pool.tokenAMint.toBase58(),
      mintB: pool.tokenBMint.toBase58(),
      vaultA: pool.tokenAVault.toBase58(),
      vaultB: pool.tokenBVault.toBase58(),
      spacing: 0,
    });
    const fee = (mode: number, rest: number): number => {
      const copy = Buffer.from(data).fill(rest, 17, 40);
      copy.writeUInt8(mode, MODE);
      copy.writeBigUInt64LE(2_500_000n, 8);
      return meteoraDammV2Pools.identity(copy)!.feePpm;
    };
    expect([0, 1, 2].map((mode) => fee(mode, 0))).toEqual([2500, 2500, 2500]);
    expect([0, 1, 2, 3, 4].map((mode) => fee(mode, 1))).toEqual([0, 0, 0, 0, 0]);
    expect(meteoraDammV2Pools.needs(POOL, new Map([[POOL, account(data)]]))).toEqual([]);
  });

  it('trade from their activation on, by slot or by time, and while they are enabled', () => {
    const activation = data.readBigUInt64LE(ACTIVATION);
    const bySlot = (copy: Buffer) => copy.writeUInt8(0, 480);
    const byTime = (copy: Buffer) => copy.writeUInt8(1, 480);
    expect(open(bySlot, { slot: activation, unixTime: 0n })).not.toBeNull();
    expect(open(bySlot, { slot: activation - 1n, unixTime: 2n ** 40n })).toBeNull();
    expect(open(byTime, { slot: 0n, unixTime: activation })).not.toBeNull();
    expect(open(byTime, { slot: 2n ** 40n, unixTime: activation - 1n })).toBeNull();
    expect(open((copy) => copy.writeUInt8(1, STATUS))).toBeNull();
    expect(open((copy) => copy.writeUInt8(3, COLLECT))).toBeNull();
    expect(open((copy) => copy.fill(0, 360, 376))).toBeNull();
    const known = new Map([[POOL, { ...account(data), owner: POOL }]]);
    expect(meteoraDammV2Pools.read(POOL, known, moment(when))).toBeNull();
    expect(meteoraDammV2Pools.read(POOL, new Map([[POOL, null]]), moment(when))).toBeNull();
  });

  it('whose data are short or of another account are none, which never throws; longer data are read alike', () => {
    expect(readDammPool(Uint8Array.from([...data, ...new Array(64).fill(9)]))).toEqual(readDammPool(data));
    for (let length = 0; length < data.length; length++) {
      expect({ length, none: readDammPool(data.subarray(0, length)) === null }).toEqual({ length, none: length < 697 });
    }
    const other = Buffer.from(data);
    other.writeUInt8(other[0]! ^ 1, 0);
    expect(readDammPool(other)).toBeNull();
    expect(meteoraDammV2Pools.identity(other)).toBeNull();
  });

  it('of random bytes behind the right head never throw', () => {
    for (const seed of propertySeeds(scaled(3000))) {
      const random = new SeededRandom(seed);
      const pool = randomPool(random);
      for (let spoilt = random.int(1, 60); spoilt > 0; spoilt--) pool.data[random.int(8, 700)] = random.int(0, 255);
      const state = read(pool.data, moment(pool));
      for (const amount of [-1n, 0n, 1n, 10n ** 12n, 2n ** 64n - 1n, 2n ** 64n]) {
        for (const aToB of [true, false]) {
          state?.exactIn(aToB, amount);
          state?.exactOut(aToB, amount);
        }
      }
    }
  });
});
