import type { WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import type { TransactionError } from './svm-errors.js';
import type { UiTokenAmount } from './token-accounts.js';

/** What the local chain is made of. Blocks never change once made; a fork replaces them by others. */
export interface ChainAccount {
  lamports: bigint;
  owner: string;
  data: Uint8Array;
  executable: boolean;
  rentEpoch: bigint;
}

export interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: UiTokenAmount;
}

export interface InnerInstructions {
  index: number;
  instructions: { programIdIndex: number; accounts: number[]; data: string; stackHeight: number }[];
}

export interface TransactionMeta {
  err: TransactionError | null;
  fee: bigint;
  preBalances: bigint[];
  postBalances: bigint[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  innerInstructions: InnerInstructions[];
  logMessages: string[];
  loadedAddresses: { writable: string[]; readonly: string[] };
  computeUnitsConsumed: number;
  returnData: { programId: string; data: string } | null;
}

/** A transaction in a block. */
export interface Landed {
  transaction: WireTransaction;
  meta: TransactionMeta;
  slot: number;
  blockTime: number;
}

/** A change of state by the chain's owner, outside any transaction. Every fork keeps it. */
export type Edit =
  | { kind: 'account'; address: string; account: ChainAccount }
  | { kind: 'program'; address: string; code: Uint8Array };

export interface Block {
  slot: number;
  parentSlot: number;
  hash: string;
  hashBytes: Uint8Array;
  parentHash: string;
  height: number;
  time: number;
  edits: readonly Edit[];
  transactions: readonly Landed[];
  /** Values that accounts touched by this block had before it; null: did not exist. Empty soon after the block is final. */
  before: Map<string, ChainAccount | null>;
}

export type Commitment = 'processed' | 'confirmed' | 'finalized';
export const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** Every key of a transaction in the order its indices mean: static, loaded writable, loaded readonly. */
export function allKeys({ transaction, meta }: Pick<Landed, 'transaction' | 'meta'>): string[] {
  return [...transaction.keys, ...meta.loadedAddresses.writable, ...meta.loadedAddresses.readonly];
}
