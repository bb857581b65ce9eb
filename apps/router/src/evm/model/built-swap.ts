import type { Hex } from '#libs/core/ids.js';
import type { BuildRequest } from './build-request.js';
import type { ContractCall } from './contract-call.js';
import type { EvmSwapPlan } from './swap-plan.js';

/** The fee suggestion of a build: the next base fee twice, and the tip that half of the recent gas paid. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** An unsigned transaction of a build. */
export interface BuiltTransaction {
  readonly call: ContractCall;
  /** Gas limit. */
  readonly gas: bigint;
  /** The amount that it approves; null for the swap itself. */
  readonly approves: bigint | null;
}

/** A build that went through whole in a simulation: what is sent, what it enforces, and the figures of the simulation. */
export interface BuiltEvmSwap {
  readonly request: BuildRequest;
  readonly plan: EvmSwapPlan;
  /** Approvals in order, then the swap. */
  readonly transactions: readonly BuiltTransaction[];
  readonly fees: Fees;
  /** Unix seconds. */
  readonly deadline: bigint;
  readonly simulation: {
    readonly block: { readonly number: number; readonly hash: Hex };
    /** What the recipient got. */
    readonly received: bigint;
    /** Of all transactions together. */
    readonly gasUsed: bigint;
  };
}
