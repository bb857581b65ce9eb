import { bytesOfHex, startsWith } from '#libs/chain/chains/solana/bytes.js';
import type { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';

/** Where an instruction names the curve: buy, sell and buy_exact_sol_in, then the second and the third generation. */
const CURVES: readonly { at: number; instructions: readonly Uint8Array[] }[] = [
  { at: 3, instructions: ['66063d1201daebea', '33e685a4017f83ad', '38fc74089edfcd5f'].map(bytesOfHex) },
  { at: 10, instructions: ['b817ee6167c5d33d', 'c2ab1c46684d5b2f', '5df6823ce7e940b2'].map(bytesOfHex) },
  { at: 5, instructions: ['07051dc4f5176550', 'e1f7501ed5b38488', '1c92de7726c469d5'].map(bytesOfHex) },
];
/** In the groups of a route over several curves: base mint, quote mint, curve. */
const CURVE_AFTER_MINT = 2;

/** The curve of a token that an instruction trades; empty where the instruction does not name it. */
export function curveOf(tx: SolanaTransaction, instruction: SolanaInstruction, mint: string): string {
  const { data, accounts } = instruction;
  const known = CURVES.find(({ instructions }) => instructions.some((each) => startsWith(data, 0, each)));
  if (known !== undefined) return tx.accountKey(instruction, known.at);
  const group = accounts.findIndex((_, nth) => tx.accountKey(instruction, nth) === mint);
  return group < 0 ? '' : tx.accountKey(instruction, group + CURVE_AFTER_MINT);
}
