import type { Instruction } from '#programs/client.js';
import type { TransactionConfig, UnsignedTransaction } from '../transaction/v1-transaction.js';
import type { RecentBlockhash } from './chain-reads.js';
import type { Costs } from './fees.js';
import type { SolanaSwapOrder } from './swap-order.js';

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
