import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Logger } from '#libs/platform/logger.js';
import { NODE_DEADLINE_MS, NodesUnavailableError } from '../../nodes/chain-nodes.js';
import { Refusal, type RefusalCode } from '../../refusal.js';
import type { EvmNodes } from '../evm-nodes.js';
import type { BuildRequest } from '../model/build-request.js';
import type { BuiltEvmSwap } from '../model/built-swap.js';
import { type EvmSwapPlan } from '../model/swap-plan.js';
import type { EvmSwapBuilder } from '../ports.js';
import type { TokenFindings } from '../tokens/token-findings.js';
import { insufficientNative, insufficientToken, simulationFailed } from './build-refusals.js';
import { gasLimits } from './gas-limits.js';
import { learnTokens } from './learn-tokens.js';
import type { Outcome } from './sequence.js';
import { type SimulationContext, settleSwap } from './settle-swap.js';
import { simulateCall } from './simulate-call.js';
import { simulateV1 } from './simulate-v1.js';
import { onHead, type Simulator } from './simulation.js';
import { planEvmSwap } from './swap-plan.js';
import { type EvmWalletState, readWallet } from './wallet-state.js';

export interface SwapBuilderOptions {
  readonly chain: ChainSpec;
  readonly nodes: Pick<EvmNodes, 'use'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Keeps what simulations find of tokens. */
  readonly tokens: TokenFindings;
}

/** Failures in a row after which an endpoint is taken to be without eth_simulateV1. */
const TROUBLES = 3;
/** Refusals that a token of the path may have caused. */
const SHOWS_TOKENS: ReadonlySet<string> = new Set<RefusalCode>([
  ...(['fee_on_transfer', 'token_not_transferable', 'simulation_failed'] as const),
]);

/**
 * Builds swaps of one chain. Invariant: a build is answered only after all of its transactions passed a simulation on the
 * head with the wallet's own state. The head alone decides, whatever block the quote was priced at. The builder never
 * signs and never sends.
 */
export function createSwapBuilder(options: SwapBuilderOptions): EvmSwapBuilder {
  return new Builder(options);
}

class Builder implements EvmSwapBuilder {
  /** How often in a row each endpoint failed at eth_simulateV1. */
  private readonly troubles = new Map<RpcEndpoint, number>();
  private last: Simulator | null = null;

  constructor(private readonly options: SwapBuilderOptions) {}

  simulation(): 'eth_simulateV1' | 'eth_call' | 'unknown' {
    return this.last?.name ?? 'unknown';
  }

  async build(request: BuildRequest, signal: AbortSignal): Promise<BuiltEvmSwap> {
    signal.throwIfAborted();
    const { chain, nodes, logger } = this.options;
    const plan = planEvmSwap(request);
    try {
      return await nodes.use(
        (endpoint, limited) => onHead(endpoint, () => this.buildAtHead(endpoint, request, plan, limited)),
        NODE_DEADLINE_MS,
        signal,
      );
    } catch (error) {
      if (!ofNodes(error)) throw error;
      logger.warn({ chain: chain.slug }, `build: ${error.message}`);
      throw new NodesUnavailableError(chain.slug, error.message);
    }
  }

  private async buildAtHead(
    endpoint: RpcEndpoint,
    request: BuildRequest,
    plan: EvmSwapPlan,
    signal: AbortSignal,
  ): Promise<BuiltEvmSwap> {
    const { chain } = this.options;
    const state = await readWallet(endpoint, plan, signal);
    requireFunds(plan, state);
    const { head, fees, allowance } = state;
    const now = Math.max(head.time, Math.floor(Date.now() / 1000));
    const deadline = BigInt(now + request.deadlineSeconds);
    const context = { endpoint, plan, wrapped: chain.wrappedNative.token, head, allowance, deadline, signal };
    const outcome = await this.simulated(endpoint, (simulator) => this.settled({ ...context, simulator }));
    const gas = gasLimits(plan, outcome);
    requireGas(plan, state, gas);
    const { results, transactions, form } = outcome;
    return {
      request,
      plan,
      transactions: transactions.map((call, n) => ({ call, gas: gas[n]!, approves: form.approvals[n] ?? null })),
      fees,
      deadline,
      simulation: {
        block: { number: head.number, hash: head.hash },
        received: outcome.received ?? outcome.stated ?? plan.floor,
        gasUsed: results.reduce((sum, result) => sum + result.gasUsed, 0n),
      },
    };
  }

  /** Finds the form of the swap, and notes what that shows of the path's tokens. */
  private async settled(context: SimulationContext): Promise<Outcome> {
    const { tokens } = this.options;
    const { path } = context.plan;
    try {
      const outcome = await settleSwap(context);
      if (outcome.form.swap === 'plain') tokens.clear(path);
      else if (!path.some((token) => tokens.of(token) === 'taxed')) await learnTokens(context, tokens);
      return outcome;
    } catch (error) {
      if (error instanceof Refusal && SHOWS_TOKENS.has(error.code) && path.length > 0)
        await learnTokens(context, tokens);
      throw error;
    }
  }

  /**
   * Runs the work with eth_simulateV1, or with eth_call where the endpoint lacks that method. An endpoint that says that
   * it lacks the method is believed at once. One that fails at it in other words, while eth_call works, is taken to lack
   * it after a few failures.
   */
  private async simulated<T>(endpoint: RpcEndpoint, work: (simulator: Simulator) => Promise<T>): Promise<T> {
    const trouble = this.troubles.get(endpoint) ?? 0;
    if (trouble < TROUBLES) {
      try {
        const result = await this.carriedOut(simulateV1, work);
        this.troubles.delete(endpoint);
        return result;
      } catch (error) {
        if (!(error instanceof RpcError && error.maybeMethod)) throw error;
        const result = await this.byCall(endpoint, work);
        const now = error.kind === 'method-missing' ? TROUBLES : trouble + 1;
        this.troubles.set(endpoint, now);
        if (now === TROUBLES) this.tellLacking(error);
        return result;
      }
    }
    return this.byCall(endpoint, work);
  }

  private async byCall<T>(endpoint: RpcEndpoint, work: (simulator: Simulator) => Promise<T>): Promise<T> {
    try {
      return await this.carriedOut(simulateCall, work);
    } catch (error) {
      const lacking = error instanceof RpcError && error.lacksMethod;
      throw lacking ? endpoint.error('server', 'neither eth_simulateV1 nor eth_call with state overrides') : error;
    }
  }

  private async carriedOut<T>(simulator: Simulator, work: (simulator: Simulator) => Promise<T>): Promise<T> {
    try {
      const result = await work(simulator);
      this.last = simulator;
      return result;
    } catch (error) {
      if (error instanceof Refusal) this.last = simulator;
      if (!(error instanceof RpcError)) throw error;
      // The node refuses the sequence as such: funds that went between two questions, most often.
      if (error.kind === 'reverted') throw simulationFailed(error.message.replace(/^rpc endpoint \d+: /, ''));
      throw error;
    }
  }

  private tellLacking({ message }: RpcError): void {
    const { logger, chain } = this.options;
    logger.info({ chain: chain.slug }, `build: simulated by eth_call, because eth_simulateV1 fails: ${message}`);
  }
}

/** Whether the error is a node's failure that no other node could repair. */
function ofNodes(error: unknown): error is TidepoolError {
  return error instanceof RpcError || (error instanceof TidepoolError && error.code === 'wrong_chain');
}

function requireFunds(plan: EvmSwapPlan, { native, balance }: EvmWalletState): void {
  if (plan.tokenIn === null && native < plan.amountIn) throw insufficientNative(native, plan.amountIn, 0n);
  if (plan.tokenIn !== null && balance !== null && balance < plan.amountIn) {
    throw insufficientToken(plan.tokenIn, balance, plan.amountIn);
  }
}

/** A node takes a transaction only from a wallet that could pay all of its gas at its fee cap. */
function requireGas(plan: EvmSwapPlan, { native, fees }: EvmWalletState, gas: readonly bigint[]): void {
  const value = plan.tokenIn === null ? plan.amountIn : 0n;
  const cost = gas.reduce((sum, limit) => sum + limit, 0n) * fees.maxFeePerGas;
  if (native < value + cost) throw insufficientNative(native, value, cost);
}
