import type { Hex } from '#libs/core/ids.js';
import {
  bufferOf,
  derive,
  type Instruction,
  idOf,
  reads,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  u8,
  writes,
} from './instruction.js';

/** The token account that every wallet has for a mint, at an address that follows from both. */
export const ASSOCIATED_PROGRAM = idOf('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

export const associatedId = (owner: Hex, mint: Hex, tokenProgram: Hex = TOKEN_PROGRAM_ID): Hex =>
  derive(ASSOCIATED_PROGRAM, bufferOf(owner), bufferOf(tokenProgram), bufferOf(mint)).id;

/** Makes the account unless it is there. */
export const createAssociatedAccount = (
  payer: Hex,
  owner: Hex,
  mint: Hex,
  tokenProgram: Hex = TOKEN_PROGRAM_ID,
): Instruction => ({
  program: ASSOCIATED_PROGRAM,
  accounts: [
    signs(payer, true),
    writes(associatedId(owner, mint, tokenProgram)),
    reads(owner),
    reads(mint),
    reads(SYSTEM_PROGRAM),
    reads(tokenProgram),
  ],
  data: u8(1),
});
