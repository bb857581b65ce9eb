import { MAX_TICK, MIN_TICK } from '#libs/chain/amm/q64/tick-price.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import { rangesOf, type SolanaPoolRanges } from '#libs/chain/market-ports/solana/pool-ranges.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import { TICKS_PER_ARRAY, type Whirlpool } from './account.js';
import { arrayAt, orcaWhirlpoolPools, tickArrayAddress } from './quote.js';

/** Both vaults. */
const OTHERS = 2;

/** Nothing says which arrays of ticks there are: those around the price are asked for, whether they exist or not. */
export const orcaWhirlpoolRanges: SolanaPoolRanges = {
  needs(address, known, most) {
    const pool = orcaWhirlpoolPools.poolAt(address, known);
    if (pool === null) return [];
    return [pool.vaultA, pool.vaultB, ...startsOf(pool, most).map((start) => tickArrayAddress(address, start))];
  },
  read(address, known, most) {
    const pool = orcaWhirlpoolPools.poolAt(address, known);
    if (pool === null) return null;
    const [heldA, heldB] = [vaultBalance(known, pool.vaultA, pool.mintA), vaultBalance(known, pool.vaultB, pool.mintB)];
    if (heldA === null || heldB === null) return null;
    const { tickSpacing } = pool;
    const starts = startsOf(pool, most);
    const ticks: TickRecord[] = [];
    for (const start of starts) {
      const array = arrayAt(address, start, known);
      if (array === null) return null;
      for (const [n, place] of array.places.entries()) {
        const liquidityGross = array.liquidityGross[n]!;
        // A tick stays initialized without liquidity while nothing crosses it.
        if (liquidityGross > 0n)
          ticks.push({ tick: start + place * tickSpacing, liquidityGross, liquidityNet: array.liquidityNet[n]! });
      }
    }
    const [low, high] = [starts[0]!, starts.at(-1)! + TICKS_PER_ARRAY * tickSpacing];
    const ranges = rangesOf({
      ...{ sqrtPrice: pool.sqrtPrice, tick: pool.tick, liquidity: pool.liquidity, ticks },
      low: low <= MIN_TICK ? null : low,
      high: high > MAX_TICK ? null : high,
    });
    return ranges && { ...ranges, vaultA: pool.vaultA, heldA, heldB };
  },
};

/** First ticks of the arrays around the price, ascending. */
function startsOf({ tick, tickSpacing }: Whirlpool, most: number): number[] {
  const width = TICKS_PER_ARRAY * tickSpacing;
  const reach = Math.floor((most - OTHERS - 1) / 2);
  const own = Math.floor(tick / width);
  const starts = Array.from({ length: 2 * reach + 1 }, (_, n) => (own - reach + n) * width);
  return starts.filter((start) => start + width > MIN_TICK && start <= MAX_TICK);
}
