import type { Hex } from '#libs/core/ids.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { EvmSwapAnswer, EvmTransaction } from '#libs/protocol/rest/evm/swap-body.js';
import type { Call } from './call-data.js';
import type { Fees } from './fees.js';
import type { Outcome } from './sequence.js';
import { type BuildHead, hex } from './simulation.js';
import type { SwapPlan } from './swap-plan.js';

/**
 * What goes back to the caller: unsigned transactions with gas and fees, the quote with the floor that they enforce, and the
 * figures of the simulation they went through.
 */
export interface Settled {
  readonly chain: ChainSpec;
  readonly quote: EvmQuote;
  readonly plan: SwapPlan;
  readonly outcome: Outcome;
  readonly head: BuildHead;
  readonly fees: Fees;
  readonly gas: readonly bigint[];
}

/** A fifth on top for what moves until the transaction is mined, and for the sixty-fourth that every call keeps back. */
const MARGIN = 5n;
/** A concentrated pool may have to cross more ticks than in the simulation. */
const TICKS_GAS = 30_000n;

/** Gas limit of each transaction. */
export function gasLimits(plan: SwapPlan, { results, firstEstimate }: Outcome): bigint[] {
  const first = results[0]!.gasNeeded;
  // What the node asks beyond running it (the publishing of its data on another chain) is asked of every transaction.
  const beyond = firstEstimate !== null && firstEstimate > first ? firstEstimate - first : 0n;
  const ticks = plan.kind === 'v3-swap-router02' ? TICKS_GAS * BigInt(plan.pools.length) : 0n;
  return results.map(({ gasNeeded }, n) => {
    const base = gasNeeded + beyond;
    return base + base / MARGIN + (n === results.length - 1 ? ticks : 0n);
  });
}

export function swapAnswer({ chain, quote, plan, outcome, head, fees, gas }: Settled): EvmSwapAnswer {
  const transactions = outcome.transactions.map((call, n): EvmTransaction => {
    const approved = outcome.form.approvals[n];
    const description = approved === undefined ? describeSwap(chain, plan) : describeApproval(chain, plan, approved);
    return transaction(chain, plan.wallet, call, gas[n]!, fees, description);
  });
  const gasUsed = outcome.results.reduce((sum, result) => sum + result.gasUsed, 0n);
  const received = outcome.received ?? outcome.stated ?? plan.floor;
  return {
    setupTransactions: transactions.slice(0, -1),
    swapTransaction: transactions.at(-1)!,
    quoteResponse: { ...quote, slippageBps: plan.slippageBps, otherAmountThreshold: plan.floor.toString() },
    simulation: {
      blockNumber: head.number,
      blockHash: `0x${head.hash}`,
      outAmount: received.toString(),
      gasUsed: gasUsed.toString(),
    },
    expiresAt: new Date(Number(outcome.form.deadline) * 1000).toISOString(),
  };
}

function transaction(
  chain: ChainSpec,
  wallet: Hex,
  { to, data, value }: Call,
  gas: bigint,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
  description: string,
): EvmTransaction {
  return {
    chainId: chain.chainId!,
    from: `0x${wallet}`,
    to: `0x${to}`,
    data: `0x${data}`,
    value: hex(value),
    gas: hex(gas),
    maxFeePerGas: hex(maxFeePerGas),
    maxPriorityFeePerGas: hex(maxPriorityFeePerGas),
    type: '0x2',
    description,
  };
}

function describeApproval(chain: ChainSpec, { tokenIn, label }: SwapPlan, amount: bigint): string {
  if (amount === 0n) return `Set the approval of ${nameOf(chain, tokenIn)} for ${label} back to zero`;
  return `Approve ${amountOf(chain, tokenIn, amount)} for ${label}`;
}

function describeSwap(chain: ChainSpec, plan: SwapPlan): string {
  const given = amountOf(chain, plan.tokenIn, plan.amountIn);
  if (plan.kind === 'wrap') return `Wrap ${given}`;
  if (plan.kind === 'unwrap') return `Unwrap ${given}`;
  const least = amountOf(chain, plan.tokenOut, plan.floor);
  const whom = plan.recipient === plan.wallet ? '' : `, paid to 0x${plan.recipient}`;
  return `Swap ${given} for at least ${least} on ${plan.label}${whom}`;
}

/** Whole units of a token that the chain's spec knows, base units of any other. */
function amountOf(chain: ChainSpec, token: Hex | null, amount: bigint): string {
  const decimals = token === null ? chain.nativeCurrency.decimals : known(chain, token)?.decimals;
  if (decimals === undefined) return `${amount} base units of ${nameOf(chain, token)}`;
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  const whole = decimals === 0 ? digits : digits.slice(0, -decimals);
  return `${whole}${fraction === '' ? '' : `.${fraction}`} ${nameOf(chain, token)}`;
}

function nameOf(chain: ChainSpec, token: Hex | null): string {
  return token === null ? chain.nativeCurrency.symbol : (known(chain, token)?.symbol ?? `0x${token}`);
}

function known(chain: ChainSpec, token: Hex): { symbol: string; decimals: number } | undefined {
  return [chain.wrappedNative, ...chain.stables].find((candidate) => candidate.token === token);
}
