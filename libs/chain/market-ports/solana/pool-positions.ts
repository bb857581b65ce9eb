import { addressId } from '#libs/chain/chains/solana/address-ids.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { Hex } from '#libs/core/ids.js';
import type { SolanaPositionChange } from './positions.js';
import type { SolanaVenues } from './trades.js';

/** A change of one known venue, with ids instead of texts. */
export interface SolanaPosition extends Omit<SolanaPositionChange, 'pool' | 'owner'> {
  readonly pool: Hex;
  readonly owner: Hex;
  /** Position in the transaction's flat list of instructions. */
  readonly index: number;
}

const NO_POSITIONS: readonly SolanaPosition[] = [];

/** Changes of a transaction in execution order; a failed one has none. Never throws. */
export function positionsOf(tx: SolanaTransaction, venues: SolanaVenues): readonly SolanaPosition[] {
  if (tx.failed) return NO_POSITIONS;
  let found = NO_POSITIONS;
  for (let index = 0; index < tx.instructions.length; index++) {
    const changes = venues.get(tx.instructions[index]!.program)?.positions?.(tx, index) ?? [];
    for (const change of changes) {
      const [pool, owner] = [addressId(change.pool), addressId(change.owner)];
      if (pool !== null && owner !== null) found = [...found, { ...change, pool, owner, index }];
    }
  }
  return found;
}
