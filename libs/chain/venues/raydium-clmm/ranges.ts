import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import { rangesOf, type SolanaPoolRanges } from '#libs/chain/market-ports/solana/pool-ranges.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import { type ClmmPool, readExtension, readTickArray } from './account.js';
import { type ArraysAhead, arraysAhead, arrayWidth } from './array-bitmap.js';
import { extensionAddress, raydiumClmmPools, tickArrayAddress } from './quote.js';

const { program } = raydiumClmmPools;
/** Both vaults and the extension of the bitmap. */
const OTHERS = 3;

/** The arrays of ticks that are in use, nearest first on each side. */
export const raydiumClmmRanges: SolanaPoolRanges = {
  needs(address, known, most) {
    const pool = raydiumClmmPools.poolAt(address, known);
    if (pool === null) return [];
    const starts = sidesOf(address, pool, known, most).flatMap(({ numbers }) => numbers);
    const arrays = [...new Set(starts)].map((number) => arrayAt(address, pool, number));
    return [pool.vaultA, pool.vaultB, extensionAddress(address), ...arrays];
  },
  read(address, known, most) {
    const pool = raydiumClmmPools.poolAt(address, known);
    if (pool === null) return null;
    const [heldA, heldB] = [vaultBalance(known, pool.vaultA, pool.mintA), vaultBalance(known, pool.vaultB, pool.mintB)];
    if (heldA === null || heldB === null || known.get(extensionAddress(address)) === undefined) return null;
    const ticks = new Map<number, TickRecord>();
    const [down, up] = sidesOf(address, pool, known, most);
    for (const number of new Set([...down.numbers, ...up.numbers])) {
      const account = known.get(arrayAt(address, pool, number));
      const array = account?.owner === program ? readTickArray(account.data, pool.tickSpacing) : null;
      if (array?.start !== number * arrayWidth(pool.tickSpacing)) return null;
      for (const { tick, liquidityGross, liquidityNet } of array.ticks)
        if (liquidityGross > 0n) ticks.set(tick, { tick, liquidityGross, liquidityNet });
    }
    const count = countOf(most);
    const width = arrayWidth(pool.tickSpacing);
    const ranges = rangesOf({
      ...{ sqrtPrice: pool.sqrtPrice, tick: pool.tick, liquidity: pool.liquidity },
      ticks: [...ticks.values()].sort((a, b) => a.tick - b.tick),
      low: down.numbers.length < count ? null : down.numbers.at(-1)! * width,
      high: up.numbers.length < count ? null : (up.numbers.at(-1)! + 1) * width,
    });
    return ranges && { ...ranges, vaultA: pool.vaultA, heldA, heldB };
  },
};

/** Of each side: the array of the pool's own tick is in both. */
const countOf = (most: number): number => Math.floor((most - OTHERS) / 2);

function sidesOf(address: string, pool: ClmmPool, known: KnownAccounts, most: number): [ArraysAhead, ArraysAhead] {
  const extension = readOwned(known, extensionAddress(address), program, readExtension);
  const ahead = (aToB: boolean): ArraysAhead =>
    arraysAhead({ own: pool.bitmap, extension }, pool.tick, pool.tickSpacing, aToB, countOf(most));
  return [ahead(true), ahead(false)];
}

const arrayAt = (address: string, pool: ClmmPool, number: number): string =>
  tickArrayAddress(address, number * arrayWidth(pool.tickSpacing));
