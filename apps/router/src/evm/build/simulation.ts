import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import type { ContractCall } from '../model/contract-call.js';

/** The block that a build is on. */
export interface BuildHead {
  readonly number: number;
  /** Without prefix. */
  readonly hash: Hex;
  /** Unix seconds, the block's own. */
  readonly time: number;
  readonly baseFee: bigint;
}

/** One step of a sequence that one sender makes: a call, or a read of an address's native balance. */
export type SimulationStep = ContractCall | { readonly balanceOf: Hex };

export interface StepResult {
  readonly ok: boolean;
  /** What it returned, or reverted with; no prefix. */
  readonly data: Hex;
  /** What a transaction of it would pay for, refunds taken off. */
  readonly gasUsed: bigint;
  /** What it had to have at hand at least; refunds come only at the end. */
  readonly gasNeeded: bigint;
}

/**
 * Runs steps one after another on the state of one block, as the sender, and changes nothing. Throws RpcError where the node
 * fails, StaleHeadError where it does not know the block (any more).
 */
export interface Simulator {
  readonly name: 'eth_simulateV1' | 'eth_call';
  run(
    endpoint: RpcEndpoint,
    sender: Hex,
    steps: readonly SimulationStep[],
    head: BuildHead,
    signal: AbortSignal,
  ): Promise<StepResult[]>;
}

/** The block was retracted, or the node is one of several and has not seen it yet: ask for the head again. */
export class StaleHeadError extends Error {}

const HEADS = 3;

/** Runs work on the head of a node, again where that head is retracted meanwhile. */
export async function onHead<T>(endpoint: RpcEndpoint, work: () => Promise<T>): Promise<T> {
  for (let head = 0; head < HEADS; head++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StaleHeadError)) throw error;
    }
  }
  throw endpoint.error('server', 'a head that it does not know itself');
}

/** Gas a single step may burn: far above any swap, far below what nodes allow for a whole simulation. */
export const STEP_GAS = 8_000_000;

export const isCall = (step: SimulationStep): step is ContractCall => 'to' in step;

/** Throws StaleHeadError for an error that says so, the error itself otherwise. */
export function judgePinned(error: unknown): never {
  const unknown = error instanceof RpcError && error.kind === 'unknown-block';
  if (unknown || (error instanceof RpcError && /resource not found/i.test(error.message))) throw new StaleHeadError();
  throw error;
}
