import { bytesOf, startsWith } from '#libs/chains/solana/event-layout.js';
import { vaultFlow } from '#libs/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chains/solana/transaction.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chains/solana/venue.js';

interface Hop {
  pool: number;
  vaults: readonly [number, number];
}

interface SwapInstruction {
  discriminator: Uint8Array;
  authority: number;
  hops: readonly Hop[];
}

const SWAPS: readonly SwapInstruction[] = [
  // swap, swap_v2
  { discriminator: bytesOf('f8c69e91e17587c8'), authority: 1, hops: [{ pool: 2, vaults: [4, 6] }] },
  { discriminator: bytesOf('2b04ed0b1ac91e62'), authority: 3, hops: [{ pool: 4, vaults: [8, 10] }] },
  // two_hop_swap
  {
    discriminator: bytesOf('c360ed6c44a2dbe6'),
    authority: 1,
    hops: [
      { pool: 2, vaults: [5, 7] },
      { pool: 3, vaults: [9, 11] },
    ],
  },
  // two_hop_swap_v2: one transfer goes straight from the first pool's vault to the second's
  {
    discriminator: bytesOf('ba8fd11dfe02c275'),
    authority: 14,
    hops: [
      { pool: 0, vaults: [9, 10] },
      { pool: 1, vaults: [11, 12] },
    ],
  },
];

/** Orca Whirlpool. Its event is only logged and was not there from the start: the transfers decide. */
export const orcaWhirlpool: SolanaVenue = {
  venue: 'orca-whirlpool',
  dex: 'Orca Whirlpool',
  kind: 'concentrated',
  program: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  const swap = SWAPS.find(({ discriminator }) => startsWith(data, 0, discriminator));
  if (swap === undefined) return NO_LEGS;
  const authority = tx.accountKey(instruction, swap.authority);
  const found: SolanaLeg[] = [];
  for (const { pool, vaults } of swap.hops) {
    const flow = vaultFlow(tx, index, tx.account(instruction, vaults[0]), tx.account(instruction, vaults[1]));
    if (flow !== null) found.push({ pool: tx.accountKey(instruction, pool), authority, ...flow });
  }
  return found;
}
