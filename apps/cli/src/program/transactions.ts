import { type Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import { bufferOf, type Instruction, idOf, u8, u32, u64 } from '#programs/instruction.js';

/** Legacy transactions of our instructions, and what they cost. */
export interface ProgramStep {
  /** What it does, for progress, dry runs and errors. */
  label: string;
  instructions: readonly Instruction[];
  /** Compute units it asks for, which a priority fee is paid by. */
  units: number;
  /** Signers in addition to the payer. */
  signers?: readonly Keypair[];
}

export interface Terms {
  payer: Hex;
  /** Micro-lamports a compute unit; 0 for none. */
  priorityFee: bigint;
}

const LAMPORTS_PER_SIGNATURE = 5000n;
const COMPUTE_BUDGET = idOf('ComputeBudget111111111111111111111111111111');

/** Instructions as sent, with those that set the priority fee before them. */
export function instructionsOf(step: ProgramStep, { priorityFee }: Terms): Instruction[] {
  const budget = (data: Buffer): Instruction => ({ program: COMPUTE_BUDGET, accounts: [], data });
  if (priorityFee === 0n) return [...step.instructions];
  return [
    budget(Buffer.concat([u8(2), u32(step.units)])),
    budget(Buffer.concat([u8(3), u64(priorityFee)])),
    ...step.instructions,
  ];
}

export function feeOf(step: ProgramStep, terms: Terms): bigint {
  const signers = new Set([terms.payer]);
  for (const { accounts } of step.instructions) for (const { id, signer } of accounts) if (signer) signers.add(id);
  const priority = (terms.priorityFee * BigInt(step.units) + 999_999n) / 1_000_000n;
  return BigInt(signers.size) * LAMPORTS_PER_SIGNATURE + priority;
}

export function transactionOf(step: ProgramStep, terms: Terms, blockhash: string): Transaction {
  const transaction = new Transaction({
    feePayer: key(terms.payer),
    blockhash,
    // Whether it can still land is decided by the sender, with the height of the blockhash it asked for.
    lastValidBlockHeight: 0,
  });
  for (const { program, accounts, data } of instructionsOf(step, terms)) {
    const keys = accounts.map(({ id, signer, writable }) => ({
      pubkey: key(id),
      isSigner: signer,
      isWritable: writable,
    }));
    transaction.add(new TransactionInstruction({ programId: key(program), keys, data: Buffer.from(data) }));
  }
  return transaction;
}

/** Bytes of a transaction whose signatures are zeros. */
export const unsigned = (transaction: Transaction): Buffer =>
  transaction.serialize({ requireAllSignatures: false, verifySignatures: false });

/** One step of a dry run, for wallets and multisigs that take a transaction, a message or instructions. */
export function describe(step: ProgramStep, terms: Terms, blockhash: string): object {
  const transaction = transactionOf(step, terms, blockhash);
  const message = transaction.compileMessage();
  return {
    step: step.label,
    signers: message.accountKeys.slice(0, message.header.numRequiredSignatures).map((each) => each.toBase58()),
    feeLamports: feeOf(step, terms).toString(),
    transaction: unsigned(transaction).toString('base64'),
    message: transaction.serializeMessage().toString('base64'),
    instructions: instructionsOf(step, terms).map(({ program, accounts, data }) => ({
      program: base58(program),
      accounts: accounts.map(({ id, signer, writable }) => ({ address: base58(id), signer, writable })),
      data: Buffer.from(data).toString('base64'),
    })),
  };
}

const key = (id: Hex): PublicKey => new PublicKey(bufferOf(id));
const base58 = solanaIds.formatAddress;
