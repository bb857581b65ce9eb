import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { binPrice, binPriceQ64 } from '#libs/chain/amm/bin-price.js';
import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { amountsAround } from '#libs/chain/market-ports/solana/test/random-amounts.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { BinArray, readExtension, readPair } from './account.js';
import { meteoraDlmm } from './decode.js';
import { meteoraDlmmPools } from './quote.js';
import { gather, priceOf, SdkPool, type SdkSwap } from './test/dlmm-sdk.js';
import { arrayAddress, randomPair } from './test/random-pair.js';

interface Recorded {
  lb_pair: string;
  bin_arrays: string[];
  reserve_x: string;
  reserve_y: string;
}

const recorded: { pools: Record<string, Recorded> } = JSON.parse(
  gunzipSync(readFileSync(new URL('./fixtures/pool-accounts.json.gz', import.meta.url))).toString(),
);
const owned = (data: Uint8Array): SolanaAccount => ({ owner: meteoraDlmm.program, lamports: 10n ** 9n, data });
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

/**
 * The accounts of a recorded pool under their addresses. Arrays further away that its bitmap names were not recorded:
 * empty ones replace them.
 */
const recordedAccounts = new Map<string, Map<string, SolanaAccount | null>>();

function accountsOf(address: string): Map<string, SolanaAccount | null> {
  const known = recordedAccounts.get(address);
  if (known !== undefined) return new Map(known);
  const { lb_pair, bin_arrays } = recorded.pools[address]!;
  const accounts = new Map<string, SolanaAccount | null>([[address, owned(bytes(lb_pair))]]);
  for (let index = -30; index <= 30; index++) {
    const empty = Buffer.from(bin_arrays[0]!, 'base64').fill(0, 56);
    empty.writeBigInt64LE(BigInt(index), 8);
    accounts.set(arrayAddress(address, index), owned(empty));
  }
  for (const array of bin_arrays.map(bytes)) {
    accounts.set(arrayAddress(address, BinArray.read(array)!.index), owned(array));
  }
  recordedAccounts.set(address, accounts);
  return new Map(accounts);
}

/** Balance of a token account. */
const balance = (account: string): bigint => Buffer.from(account, 'base64').readBigUInt64LE(64);

/**
 * The package leaves the fee out where all that reaches a bin is one unit and the fee takes it: its report is then one unit
 * short of what the trader pays.
 */
function sameSwap(context: object, mine: CurveSwap | null, theirs: SdkSwap | null): void {
  const short = mine !== null && theirs !== null && mine.fee - theirs.fee === 1n ? 1n : 0n;
  const seen = mine && { amountIn: mine.amountIn, amountOut: mine.amountOut, fee: mine.fee - short };
  expect({ ...context, swap: seen }).toEqual({ ...context, swap: theirs });
}

/**
 * The package adds what an exact output is rounded by to its fee. Its exact output also passes bins whose whole output is
 * the fee without paying them, which the program on mainnet does not: the pools compared here have no such bins.
 */
function sameAmounts(context: object, mine: CurveSwap | null, theirs: SdkSwap | null): void {
  const amounts = (swap: SdkSwap | null) => swap && { amountIn: swap.amountIn, amountOut: swap.amountOut };
  expect({ ...context, swap: amounts(mine) }).toEqual({ ...context, swap: amounts(theirs) });
}

describe('Meteora DLMM quotes', () => {
  it.each(Object.keys(recorded.pools))(
    'of the recorded pool %s are those of the package at every amount',
    (address) => {
      const all = accountsOf(address);
      const known = gather(address, all);
      const pair = readPair(all.get(address)!.data)!;
      const identity = meteoraDlmmPools.identity(all.get(address)!.data)!;
      expect(identity).toEqual({
        mintA: pair.mintX,
        mintB: pair.mintY,
        vaultA: pair.reserveX,
        vaultB: pair.reserveY,
        feePpm: Math.floor((pair.baseFactor * pair.binStep * 10 ** pair.baseFeePower) / 100),
        spacing: pair.binStep,
      });
      let swaps = 0;
      for (const later of [1n, 400n, 5000n]) {
        const at = { slot: 2n ** 40n, unixTime: pair.lastUpdate + later };
        const state = meteoraDlmmPools.read(address, known, at)!;
        expect(state.spot).toEqual(binPrice(pair.binStep, pair.activeBin));
        const held = recorded.pools[address]!;
        expect(state.reserveA).toBeGreaterThan(0n);
        // One was recorded before the program kept limit orders: what its bins held in those bytes counts as orders since.
        if (pair.lastUpdate === 0n) {
          expect(state.reserveA).toBeLessThanOrEqual(balance(held.reserve_x));
          expect(state.reserveB).toBeLessThanOrEqual(balance(held.reserve_y));
        }
        const sdk = new SdkPool(address, known, at.unixTime);
        for (const aToB of [true, false]) {
          for (let amount = 1n; amount < 10n ** 15n; amount = amount * 7n + 3n) {
            sameSwap({ aToB, in: amount }, state.exactIn(aToB, amount), sdk.exactIn(aToB, amount));
            sameAmounts({ aToB, out: amount }, state.exactOut(aToB, amount), sdk.exactOut(aToB, amount));
            if (state.exactIn(aToB, amount) !== null) swaps++;
          }
        }
      }
      expect(swaps).toBeGreaterThan(30);
    },
  );

  it('of random pools are those of the package to the unit', () => {
    let swaps = 0;
    const seeds = propertySeeds(scaled(1000));
    for (const seed of seeds) {
      const random = new SeededRandom(seed);
      const { address, accounts, at, total } = randomPair(random);
      const known = gather(address, accounts);
      const state = meteoraDlmmPools.read(address, known, at)!;
      const sdk = new SdkPool(address, known, at.unixTime);
      for (const aToB of [true, false]) {
        const [input, output] = aToB ? [total.x, total.y] : [total.y, total.x];
        const [given] = amountsAround(random, input > 0n ? input : output, 1);
        sameSwap({ seed, aToB, in: given }, state.exactIn(aToB, given!), sdk.exactIn(aToB, given!));
        const [wanted] = amountsAround(random, output, 1);
        const swap = state.exactOut(aToB, wanted!);
        sameAmounts({ seed, aToB, out: wanted }, swap, sdk.exactOut(aToB, wanted!));
        if (swap !== null) swaps++;
      }
    }
    expect(swaps).toBeGreaterThan(seeds.length / 2);
  }, 900_000);

  it('ask for the least input: one unit less gives less', () => {
    let swaps = 0;
    for (const seed of propertySeeds(scaled(1000))) {
      const random = new SeededRandom(seed);
      const { address, accounts, at, total } = randomPair(random, true);
      const state = meteoraDlmmPools.read(address, gather(address, accounts), at)!;
      for (const aToB of [true, false]) {
        for (const wanted of amountsAround(random, aToB ? total.y : total.x, 3)) {
          const swap = state.exactOut(aToB, wanted);
          if (swap === null) continue;
          swaps++;
          const less = state.exactIn(aToB, swap.amountIn - 1n)?.amountOut ?? 0n;
          expect({ seed, aToB, wanted, less: less < wanted }).toEqual({ seed, aToB, wanted, less: true });
          const back = state.exactIn(aToB, swap.amountIn)?.amountOut ?? 0n;
          expect({ seed, aToB, wanted, enough: back >= wanted }).toEqual({ seed, aToB, wanted, enough: true });
        }
      }
    }
    expect(swaps).toBeGreaterThan(0);
  }, 900_000);

  it('of bins whose price is not stored yet take the price from the bin', () => {
    const seen = { same: 0, refused: 0 };
    for (let seed = 1; seed <= 30; seed++) {
      const { address, accounts, at, total } = randomPair(new SeededRandom(seed));
      const stored = meteoraDlmmPools.read(address, gather(address, accounts), at)!;
      const bare = new Map(accounts);
      let orders = false;
      for (const [key, account] of accounts) {
        if (account === null || account.data.length < 5000) continue;
        const data = Buffer.from(account.data);
        for (let start = 56; start < data.length; start += 144) {
          data.fill(0, start + 16, start + 32);
          orders ||= data.readBigUInt64LE(start + 112) > 0n || data.readBigUInt64LE(start + 128) > 0n;
        }
        bare.set(key, owned(data));
      }
      const state = meteoraDlmmPools.read(address, gather(address, bare), at)!;
      for (const amount of [1n, total.x / 3n, total.x, total.y]) {
        for (const aToB of [true, false]) {
          const [bared, whole] = [state.exactIn(aToB, amount), stored.exactIn(aToB, amount)];
          // The program overflows on limit orders in such a bin, or trades at another price: no quote.
          if (orders && bared === null && whole !== null) seen.refused++;
          else expect({ seed, swap: bared }).toEqual({ seed, swap: whole });
          if (bared !== null) seen.same++;
        }
      }
    }
    expect(seen.same).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(5);
  });

  it('price bins as the package does', () => {
    const random = new SeededRandom(11);
    for (let i = 0; i < scaled(3000); i++) {
      const step = random.int(1, 400);
      const bin = random.int(-1, 1) * random.int(0, Math.floor((40 * Math.log(2)) / Math.log(1 + step / 10_000)));
      expect({ step, bin, price: binPriceQ64(step, bin) }).toEqual({ step, bin, price: priceOf(bin, step) });
    }
  });
});

describe('Meteora DLMM pools that do not trade', () => {
  const address = Object.keys(recorded.pools)[0]!;
  const read = (
    edit: (data: Buffer) => void,
    at = { slot: 2n ** 40n, unixTime: 2n ** 33n },
  ): SolanaPoolState | null => {
    const all = accountsOf(address);
    const data = Buffer.from(all.get(address)!.data);
    edit(data);
    all.set(address, owned(data));
    return meteoraDlmmPools.read(address, gather(address, all), at);
  };

  it('are disabled, or not yet active by slot or by time', () => {
    const nothing = () => undefined;
    expect(read(nothing)).not.toBeNull();
    expect(read((data) => data.writeUInt8(1, 82))).toBeNull();
    // A customizable pool that starts at a slot.
    const start = readPair(accountsOf(address).get(address)!.data)!.activationPoint;
    expect(read(nothing, { slot: start - 1n, unixTime: 2n ** 33n })).toBeNull();
    expect(read(nothing, { slot: start, unixTime: 0n })).not.toBeNull();
    const byTime = (data: Buffer) => data.writeUInt8(1, 86);
    expect(read(byTime, { slot: 2n ** 40n, unixTime: start - 1n })).toBeNull();
    expect(read(byTime, { slot: 0n, unixTime: start })).not.toBeNull();
    const permissionless = (data: Buffer) => data.writeUInt8(3, 75);
    expect(read(permissionless, { slot: 0n, unixTime: 0n })).not.toBeNull();
  });

  it('lack an account, or have one of another owner', () => {
    const all = accountsOf(address);
    const known = gather(address, all);
    const at = { slot: 2n ** 40n, unixTime: 2n ** 33n };
    expect(meteoraDlmmPools.read(address, known, at)).not.toBeNull();
    for (const key of known.keys()) {
      if (known.get(key) === null) continue;
      const without = new Map(known).set(key, null);
      const stolen = new Map(known).set(key, { ...known.get(key)!, owner: address });
      expect(meteoraDlmmPools.read(address, without, at)).toBeNull();
      expect(meteoraDlmmPools.read(address, stolen, at)).toBeNull();
    }
    expect(meteoraDlmmPools.needs(address, new Map())).toEqual([]);
  });

  it('have data that are short or of another account, which never throws; longer data read alike', () => {
    const all = accountsOf(address);
    const pair = all.get(address)!.data;
    const array = bytes(recorded.pools[address]!.bin_arrays[0]!);
    const extension = [...randomWithExtension().values()].find((account) => account!.data.length === 1576)!.data;
    for (const [data, parse] of [
      [pair, readPair],
      [array, BinArray.read],
      [extension, readExtension],
    ] as const) {
      const longer = Uint8Array.from([...data, ...new Array(100).fill(7)]);
      expect(parse(data)).not.toBeNull();
      if (parse === readPair) expect(parse(longer)).toEqual(parse(data));
      else expect(parse(longer)).not.toBeNull();
      const least = parse === readPair ? 824 : data.length;
      for (let length = 0; length < data.length; length += length < 900 ? 1 : 97) {
        expect({ length, read: parse(data.subarray(0, length)) === null }).toEqual({ length, read: length < least });
      }
      const other = Uint8Array.from(data);
      other[3]! ^= 1;
      expect(parse(other)).toBeNull();
    }
    expect(meteoraDlmmPools.identity(array)).toBeNull();
    const odd = new Map(all).set('no address', owned(pair));
    expect(meteoraDlmmPools.needs('no address', odd)).toEqual([]);
    expect(meteoraDlmmPools.read('no address', odd, { slot: 1n, unixTime: 1n })).toBeNull();
  });

  it('hold random bytes behind the right head, which never throws', () => {
    const random = new SeededRandom(propertySeeds(1)[0]!);
    for (let i = 0; i < scaled(2000); i++) {
      const all = accountsOf(address);
      for (const key of gather(address, all).keys()) {
        const account = all.get(key) ?? null;
        if (account === null) continue;
        const data = Uint8Array.from(account.data);
        for (let spoilt = random.int(1, 40); spoilt > 0; spoilt--) {
          data[random.int(8, Math.min(data.length - 1, 900))] = random.int(0, 255);
        }
        all.set(key, owned(data));
      }
      const state = meteoraDlmmPools.read(address, gather(address, all), { slot: 2n ** 40n, unixTime: 2n ** 33n });
      for (const amount of [0n, -1n, 1n, 10n ** 9n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 70n]) {
        for (const aToB of [true, false]) {
          state?.exactIn(aToB, amount);
          state?.exactOut(aToB, amount);
        }
      }
    }
  });
});

function randomWithExtension(): Map<string, SolanaAccount | null> {
  for (let seed = 1; ; seed++) {
    const { accounts } = randomPair(new SeededRandom(seed));
    if ([...accounts.values()].some((account) => account!.data.length === 1576)) return accounts;
  }
}
