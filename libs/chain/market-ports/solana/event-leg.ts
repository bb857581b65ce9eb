import { movedAmounts, type TransferredAmounts, vaultsAt } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { namedVaults } from './stated.js';
import type { SolanaLeg, StatedPool } from './venue.js';

/** Where the instruction of a swap names the vaults and the mints of its pool, those of the first token first. */
export interface SwapPlaces {
  readonly vaults: readonly [number, number];
  readonly mints: readonly [number, number];
}

/** The leg of a swap whose event states its amounts; `after`: what the event says of the pool after it. */
export function eventLeg(
  tx: SolanaTransaction,
  index: number,
  { vaults: [vaultA, vaultB], mints }: SwapPlaces,
  aToB: boolean,
  { pool, authority, ...amounts }: Pick<SolanaLeg, 'pool' | 'authority'> & TransferredAmounts,
  after: StatedPool,
): SolanaLeg {
  const instruction = tx.instructions[index]!;
  const a = tx.accountKey(instruction, mints[0]);
  const b = tx.accountKey(instruction, mints[1]);
  return {
    ...{ pool, authority, inputMint: aToB ? a : b, outputMint: aToB ? b : a },
    ...movedAmounts(tx, index, vaultsAt(tx, index, vaultA, vaultB), amounts),
    stated: { ...namedVaults(tx, index, vaultA, vaultB), ...after },
  };
}
