import { vaultFlow } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chain/market-ports/solana/venue.js';

/** Tags of swapExactIn and swapExactOut; both have the same accounts and end with two amounts. */
const SWAPS: readonly (number | undefined)[] = [1, 4];
const SWAP_BYTES = 17;
const POOL = 0;
const USER = 1;
const INPUT_VAULT = 4;
const OUTPUT_VAULT = 5;

/**
 * Tidepool's own pools, of the program at that address. The amounts are those of the two transfers, which every copy of a
 * transaction holds; the event that is logged with them says the same.
 */
export const tidepoolAmm = (program: string): SolanaVenue => ({
  venue: 'tidepool-amm',
  dex: 'Tidepool AMM',
  kind: 'constant-product',
  program,
  legs,
});

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  if (data.length !== SWAP_BYTES || !SWAPS.includes(data[0])) return NO_LEGS;
  const flow = vaultFlow(tx, index, tx.account(instruction, INPUT_VAULT), tx.account(instruction, OUTPUT_VAULT));
  if (flow === null) return NO_LEGS;
  const vaults = [tx.accountKey(instruction, INPUT_VAULT), tx.accountKey(instruction, OUTPUT_VAULT)] as const;
  return [
    {
      pool: tx.accountKey(instruction, POOL),
      authority: tx.accountKey(instruction, USER),
      ...flow,
      stated: { vaults },
    },
  ];
}
