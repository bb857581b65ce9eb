import { binPrice } from '#libs/chain/amm/bin-price.js';
import { sqrtPriceX96 } from '#libs/chain/amm/ratio.js';
import { orNull } from '#libs/chain/amm/refusal.js';
import { tickOfPrice } from '#libs/chain/amm/tick-of-price.js';
import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import type { SolanaPoolRanges } from '#libs/chain/market-ports/solana/pool-ranges.js';
import { arrayOfBin, BINS_PER_ARRAY, BinArray, type DlmmPair, nextArrays } from './account.js';
import { arrayAddress, extensionAddress, extensionOf, meteoraDlmmPools } from './quote.js';

const { program } = meteoraDlmmPools;
/** Both vaults and the extension of the bitmap. */
const OTHERS = 3;

/** Bins are no ranges: what the makers of those near the price can give counts, limit orders left out. */
export const meteoraDlmmRanges: SolanaPoolRanges = {
  needs(address, known, most) {
    const pair = meteoraDlmmPools.poolAt(address, known);
    if (pair === null) return [];
    const arrays = arraysOf(address, pair, known, most).map((index) => arrayAddress(address, index));
    return [pair.reserveX, pair.reserveY, extensionAddress(address), ...arrays];
  },
  read(address, known, most) {
    const pair = meteoraDlmmPools.poolAt(address, known);
    if (pair === null) return null;
    const heldA = vaultBalance(known, pair.reserveX, pair.mintX);
    const heldB = vaultBalance(known, pair.reserveY, pair.mintY);
    const price = sqrtPriceX96(
      orNull(() => binPrice(pair.binStep, pair.activeBin)) ?? { numerator: 0n, denominator: 1n },
    );
    if (heldA === null || heldB === null || price === null || price === 0n) return null;
    const reach = binsWithin(pair.binStep);
    let [nearA, nearB] = [0n, 0n];
    for (const index of arraysOf(address, pair, known, most)) {
      const array = readOwned(known, arrayAddress(address, index), program, BinArray.read);
      if (array?.index !== index) return null;
      for (let place = 0; place < BINS_PER_ARRAY; place++) {
        const distance = index * BINS_PER_ARRAY + place - pair.activeBin;
        if (distance >= 0 && distance <= reach) nearA += array.made(place, false);
        if (distance <= 0 && distance >= -reach) nearB += array.made(place, true);
      }
    }
    return {
      ...{ vaultA: pair.reserveX, heldA, heldB, sqrtPriceX96: price, tick: tickOfPrice(price) },
      liquidity: { nearA: nearA < heldA ? nearA : heldA, nearB: nearB < heldB ? nearB : heldB },
    };
  },
};

/** How many bins it takes to halve or double the price, rounded down. */
const binsWithin = (binStep: number): number => Math.floor(Math.LN2 / Math.log1p(binStep / 10_000));

/** Arrays in use that reach into what is near, as far as they fit. */
function arraysOf(address: string, pair: DlmmPair, known: KnownAccounts, most: number): number[] {
  const extension = extensionOf(extensionAddress(address), known);
  const count = Math.floor((most - OTHERS) / 2);
  const [own, reach] = [arrayOfBin(pair.activeBin), binsWithin(pair.binStep)];
  const found = [true, false].flatMap((down) => nextArrays(pair.bitmap, extension, own, down, count).indexes);
  const [low, high] = [arrayOfBin(pair.activeBin - reach), arrayOfBin(pair.activeBin + reach)];
  return [...new Set(found)].filter((index) => index >= low && index <= high);
}
