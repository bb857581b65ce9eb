import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaLaunchStep } from '#libs/chain/market-ports/solana/launches.js';
import type { SolanaTrade } from '#libs/chain/market-ports/solana/trades.js';
import type { Hex } from '#libs/core/ids.js';
import type { KnownSolanaPool, SolanaKnownSet } from './known-set.js';

/** What a pool holds after a transaction; null where the transaction says nothing of that side. */
export interface PoolReserves {
  readonly pool: Hex;
  reserve0: bigint | null;
  reserve1: bigint | null;
}

/**
 * Reserves after a transaction, of every pool that it tells of: as the venue stated them after the last of the legs, else
 * the balances of the vaults that the transaction names, changed or not; a closed vault holds nothing. The vaults of a curve
 * hold more than its reserves, so of theirs only an empty one counts. A curve that went over into a pool holds nothing any
 * more, whatever fees its vaults keep.
 */
export function reservesAfter(
  tx: SolanaTransaction,
  trades: readonly SolanaTrade[],
  launches: readonly SolanaLaunchStep[],
  known: SolanaKnownSet,
): Map<Hex, PoolReserves> {
  const found = new Map<Hex, PoolReserves>();
  for (const { account, amount } of tx.tokensAfter) {
    const place = known.vault(tx.keys[account] ?? '');
    if (place !== undefined) set(found, place.pool, place.side, amount);
  }
  for (const { account } of tx.tokensBefore) {
    const place = known.vault(tx.keys[account] ?? '');
    if (place !== undefined && !tx.tokensAfter.some((after) => after.account === account)) {
      set(found, place.pool, place.side, 0n);
    }
  }
  for (const { pool: id, inputMint, outputMint, stated } of trades) {
    const reserves = stated?.reserves;
    const record = reserves && known.pool(id)?.record;
    if (reserves === undefined || record === undefined) continue;
    if (inputMint === record.token0 && outputMint === record.token1) {
      found.set(id, { pool: id, reserve0: reserves.input, reserve1: reserves.output });
    } else if (inputMint === record.token1 && outputMint === record.token0) {
      found.set(id, { pool: id, reserve0: reserves.output, reserve1: reserves.input });
    }
  }
  for (const { step, curve, party } of launches) {
    if (step !== 'graduated' || party === null || known.pool(curve)?.record.kind !== 'curve') continue;
    found.set(curve, { pool: curve, reserve0: 0n, reserve1: 0n });
  }
  return found;
}

function set(found: Map<Hex, PoolReserves>, { record }: KnownSolanaPool, side: 0 | 1, amount: bigint): void {
  if (record.kind === 'curve' && amount !== 0n) return;
  let reserves = found.get(record.pool);
  if (reserves === undefined) {
    reserves = { pool: record.pool, reserve0: null, reserve1: null };
    found.set(record.pool, reserves);
  }
  if (side === 0) reserves.reserve0 = amount;
  else reserves.reserve1 = amount;
}
