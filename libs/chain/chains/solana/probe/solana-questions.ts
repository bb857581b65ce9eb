import { Refusal } from '../../probe/refusal.js';
import { VOTE_PROGRAM } from '../rpc/vote-shapes.js';

export const CONFIRMED = { commitment: 'confirmed' };

/** The question for a whole block; without its transactions for `none`. */
export const blockQuestion = (version: number, details: 'full' | 'none' = 'full'): object => ({
  ...CONFIRMED,
  ...{ encoding: 'json', transactionDetails: details, rewards: false, maxSupportedTransactionVersion: version },
});

/** A block as a node gives it; only what is looked at here. */
export interface ProbedBlock {
  readonly blockhash: string;
  readonly parentSlot: number;
  readonly transactions?: readonly {
    readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
    readonly meta: { readonly innerInstructions?: unknown; readonly err: unknown } | null;
  }[];
}

export function blockOf(value: unknown, slot: number): ProbedBlock {
  if (typeof value !== 'object' || value === null) throw new Refusal(`no block in slot ${slot}`);
  if (typeof (value as ProbedBlock).blockhash !== 'string') throw new Refusal('a block without its hash');
  return value as ProbedBlock;
}

export function slotsOf(value: unknown): number[] {
  if (!Array.isArray(value) || !value.every(Number.isSafeInteger)) throw new Refusal('slots that are no list');
  return value as number[];
}

export function transactionsOf({ transactions }: ProbedBlock): NonNullable<ProbedBlock['transactions']> {
  if (!Array.isArray(transactions)) throw new Refusal('a block without its transactions');
  return transactions;
}

/** Transactions that did more than vote. */
export const deeds = (block: ProbedBlock): number =>
  transactionsOf(block).filter(({ transaction }) => !transaction.message.accountKeys.includes(VOTE_PROGRAM)).length;
