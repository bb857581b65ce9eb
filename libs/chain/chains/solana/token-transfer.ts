import { wordAt } from './bytes.js';
import type { SolanaInstruction } from './instruction.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import type { SolanaTransaction } from './transaction.js';

/** Accounts are key positions, -1 where the transaction does not hold them. */
export interface TokenTransfer {
  readonly source: number;
  readonly destination: number;
  readonly authority: number;
  /** Base58; empty where the instruction does not name it. */
  readonly mint: string;
  readonly amount: bigint;
}

const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const TRANSFER_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;

/** The transfer that an instruction of either token program makes; null when it makes none. */
export function readTransfer(tx: SolanaTransaction, instruction: SolanaInstruction): TokenTransfer | null {
  const { program } = instruction;
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return null;
  const { data } = instruction;
  const tag = data[0];
  if (tag === TRANSFER && data.length >= 9) {
    return {
      source: tx.account(instruction, 0),
      destination: tx.account(instruction, 1),
      authority: tx.account(instruction, 2),
      mint: '',
      amount: wordAt(data, 1),
    };
  }
  const withFee = tag === TRANSFER_FEE_EXTENSION && data[1] === TRANSFER_CHECKED_WITH_FEE;
  const at = withFee ? 2 : 1;
  if ((!withFee && tag !== TRANSFER_CHECKED) || data.length < at + 8) return null;
  return {
    source: tx.account(instruction, 0),
    destination: tx.account(instruction, 2),
    authority: tx.account(instruction, 3),
    mint: tx.accountKey(instruction, 1),
    amount: wordAt(data, at),
  };
}

/** What a pool's two vaults took in and paid out below an instruction. */
export interface VaultFlow {
  readonly inputMint: string;
  readonly inputAmount: bigint;
  readonly outputMint: string;
  readonly outputAmount: bigint;
}

/**
 * The swap of a pool, seen at its vaults: the first transfer into one of them and the first out of the other. Fees paid
 * from a vault to third accounts come after the trader's own transfer in every venue that is read this way.
 */
export function vaultFlow(tx: SolanaTransaction, index: number, vaultA: number, vaultB: number): VaultFlow | null {
  if (vaultA < 0 || vaultB < 0) return null;
  const end = tx.callsEnd(index);
  let paidIn: TokenTransfer | null = null;
  let paidOut: TokenTransfer | null = null;
  for (let i = index + 1; i < end && (paidIn === null || paidOut === null); i++) {
    const transfer = readTransfer(tx, tx.instructions[i]!);
    if (transfer === null) continue;
    if (paidIn === null && (transfer.destination === vaultA || transfer.destination === vaultB)) paidIn = transfer;
    else if (paidOut === null && (transfer.source === vaultA || transfer.source === vaultB)) paidOut = transfer;
  }
  if (paidIn === null || paidOut === null || paidIn.destination === paidOut.source) return null;
  return {
    inputMint: paidIn.mint || tx.mintOf(paidIn.destination),
    inputAmount: paidIn.amount,
    outputMint: paidOut.mint || tx.mintOf(paidOut.source),
    outputAmount: paidOut.amount,
  };
}

export interface TransferredAmounts {
  readonly inputAmount: bigint;
  readonly outputAmount: bigint;
}

/**
 * The amounts of a swap whose event states them, as they were moved: the event's own where a transfer into or out of the
 * vaults carries it, else what the first such transfer carries (fees that a mint withholds or that stay in a vault are
 * not in every event), else the event's.
 */
export function movedAmounts(
  tx: SolanaTransaction,
  index: number,
  vaults: readonly [number, number],
  stated: TransferredAmounts,
): TransferredAmounts {
  const [a, b] = vaults;
  if (a < 0 || b < 0) return stated;
  let paidIn: bigint | null = null;
  let paidOut: bigint | null = null;
  for (let i = index + 1, end = tx.callsEnd(index); i < end; i++) {
    const transfer = readTransfer(tx, tx.instructions[i]!);
    if (transfer === null) continue;
    const { source, destination, amount } = transfer;
    if (destination === a || destination === b) {
      if (paidIn === null || amount === stated.inputAmount) paidIn = amount;
    } else if ((source === a || source === b) && (paidOut === null || amount === stated.outputAmount)) paidOut = amount;
  }
  return { inputAmount: paidIn ?? stated.inputAmount, outputAmount: paidOut ?? stated.outputAmount };
}

/** The vaults that an instruction names at these places. */
export const vaultsAt = (tx: SolanaTransaction, index: number, a: number, b: number): readonly [number, number] => {
  const instruction = tx.instructions[index]!;
  return [tx.account(instruction, a), tx.account(instruction, b)];
};
