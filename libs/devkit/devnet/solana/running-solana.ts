import type { ForkOptions } from './chain.js';
import type { ChainAccount, Edit } from './chain-types.js';
import type { TransactionError } from './svm-errors.js';

/** A local Solana chain as the process that runs it sees it. */
export interface SlotSummary {
  slot: number;
  parentSlot: number;
  height: number;
  hash: string;
  time: number;
  signatures: string[];
}

export interface LocalSolana {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly genesisHash: string;
  /** True when the folder held this chain already. */
  readonly resumed: boolean;
  readonly faucet: string;
  /** Slot from which on every block is there, and stays for a while. */
  readonly oldestHeight: number;
  /** Makes the block of the next slot from the queued transactions. */
  slot(): SlotSummary;
  /** Lets slots go by without a block. */
  skip(count?: number): void;
  /** Replaces the newest blocks by others with other hashes. */
  fork(depth: number, options?: ForkOptions): SlotSummary[];
  /** Queues a transaction without preflight; returns its signature. Bytes that are no transaction are an error. */
  send(wire: Uint8Array): string;
  /** Queues a transfer of the faucet; returns its signature. */
  airdrop(address: string, lamports: bigint): string;
  /** Puts a program of the upgradeable loader on chain, in a block of its own. */
  deploy(programId: string, code: Uint8Array): SlotSummary;
  /** Writes an account directly, without a program, in a block of its own. */
  setAccount(address: string, account: ChainAccount): SlotSummary;
  /** Queues a change of state for the next block. */
  edit(edit: Edit): void;
  /** An account after the newest block. */
  account(address: string): ChainAccount | null;
  /** The error a transaction of the present chain ended with, null when it succeeded, undefined when no block holds it. */
  resultOf(signature: string): TransactionError | null | undefined;
  /** Hash of the newest block, or of one that is `behind` blocks older: transactions that name an older one outlive short forks. */
  blockhash(behind?: number): string;
  /** Stops making slots until resume(). */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}
