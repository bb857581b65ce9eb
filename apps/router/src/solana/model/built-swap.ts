import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { Instruction } from '#programs/client.js';
import type { RecentBlockhash } from './recent-blockhash.js';
import type { SolanaSwapOrder } from './swap-order.js';
import type { TransactionConfig, UnsignedTransaction } from './transaction.js';

/** A swap that was simulated at the head, unsigned. */
export interface BuiltSolanaSwap {
  readonly order: SolanaSwapOrder;
  readonly setup: readonly Instruction[];
  readonly swap: Instruction;
  readonly config: TransactionConfig;
  readonly transaction: UnsignedTransaction;
  readonly blockhash: RecentBlockhash;
  readonly costs: Costs;
  readonly simulation: SwapSimulation;
}

/** What the swap program returned at the head, and what it took. */
export interface SwapSimulation {
  readonly slot: number;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
  readonly units: number;
  readonly loadedBytes: number;
}

/** What a transaction of one signature costs the wallet, the input of the swap left out. */
export interface Costs {
  readonly networkFeeLamports: bigint;
  readonly priorityFeeLamports: bigint;
  /** Deposits of accounts that are made, or lengthened, and stay. */
  readonly rentLamports: bigint;
  readonly totalLamports: bigint;
}

/** A build, with its quote as it was answered. */
export interface BuiltQuote {
  readonly built: BuiltSolanaSwap;
  readonly quote: SolQuote;
}
