import { bytesOfHex, startsWith } from '#libs/chain/chains/solana/bytes.js';
import { vaultFlow } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { namedVaults } from '#libs/chain/market-ports/solana/stated.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chain/market-ports/solana/venue.js';

/** swap_base_input and swap_base_output. */
const SWAPS = ['8fbe5adac41e33de', '37d96256a34ab4ad'].map(bytesOfHex);
const PAYER = 0;
const POOL = 3;
const INPUT_VAULT = 6;
const OUTPUT_VAULT = 7;

/** Raydium CPMM: constant product, with mints of either token program. Its event is only logged; the transfers decide. */
export const raydiumCpmm: SolanaVenue = {
  venue: 'raydium-cpmm',
  dex: 'Raydium CPMM',
  kind: 'constant-product',
  program: 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const instruction = tx.instructions[index]!;
  if (!SWAPS.some((swap) => startsWith(instruction.data, 0, swap))) return NO_LEGS;
  const flow = vaultFlow(tx, index, tx.account(instruction, INPUT_VAULT), tx.account(instruction, OUTPUT_VAULT));
  if (flow === null) return NO_LEGS;
  const stated = namedVaults(tx, index, INPUT_VAULT, OUTPUT_VAULT);
  return [{ pool: tx.accountKey(instruction, POOL), authority: tx.accountKey(instruction, PAYER), ...flow, stated }];
}
