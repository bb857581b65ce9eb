import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { PoolRanges } from '#libs/chain/market-ports/solana/pool-ranges.js';
import type { PoolAnchor } from '#libs/protocol/blocks.js';
import type { KnownSolanaPool } from './known-set.js';

/** 2^192: a root of the price times that of its inverse, both X96. */
const SQUARE = 1n << 192n;

/**
 * What accounts say of a pool, in the order of the log's tokens. Null where the vaults are not those that the log has, or a pool
 * with ticks has its tokens the other way round: programs with ticks take them in the order of their bytes.
 */
export function anchorFrom(
  { vaultA, heldA, heldB, sqrtPriceX96, tick, liquidity }: PoolRanges,
  { record, vaults }: KnownSolanaPool,
): PoolAnchor | null {
  const isReversed = vaults?.map(solanaIds.formatAddress).indexOf(vaultA) === 1;
  if (!isReversed && solanaIds.formatAddress(vaults?.[0] ?? '') !== vaultA) return null;
  const [reserve0, reserve1] = isReversed ? [heldB, heldA] : [heldA, heldB];
  const of = { pool: record.pool, reserve0, reserve1 };
  if ('ticks' in liquidity) {
    if (isReversed) return null;
    const { active, ticks } = liquidity;
    return { ...of, concentrated: { sqrtPriceX96, tick, liquidity: active, ticks: [...ticks] } };
  }
  const { nearA, nearB } = liquidity;
  const near = isReversed
    ? { sqrtPriceX96: SQUARE / sqrtPriceX96, amount0: nearB, amount1: nearA }
    : { sqrtPriceX96, amount0: nearA, amount1: nearB };
  return { ...of, concentrated: null, near };
}
