import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { EvmSwapAnswer, EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { BuiltEvmSwap, BuiltTransaction, Fees } from '../model/built-swap.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import { quoteBody } from '../quote/quote-text.js';

/**
 * Writes the answer of a build: unsigned transactions with gas and fees, the quote with the floor that they enforce, and
 * the figures of their simulation.
 */
export function swapAnswer({ request, plan, transactions, fees, deadline, simulation }: BuiltEvmSwap): EvmSwapAnswer {
  const { chain } = request.quote.priced;
  const all = transactions.map((one) => transactionBody(chain, plan, one, fees));
  return {
    setupTransactions: all.slice(0, -1),
    swapTransaction: all.at(-1)!,
    quoteResponse: quoteBody(request.quote, plan.slippageBps),
    simulation: {
      blockNumber: simulation.block.number,
      blockHash: chain.ids.formatBlockHash(simulation.block.hash),
      outAmount: simulation.received.toString(),
      gasUsed: simulation.gasUsed.toString(),
    },
    expiresAt: new Date(Number(deadline) * 1000).toISOString(),
  };
}

function transactionBody(
  chain: ChainSpec,
  plan: EvmSwapPlan,
  { call, gas, approves }: BuiltTransaction,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
): EvmTransaction {
  return {
    chainId: chain.chainId!,
    from: `0x${plan.wallet}`,
    to: `0x${call.to}`,
    data: `0x${call.data}`,
    value: quantity(call.value),
    gas: quantity(gas),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
    type: '0x2',
    description: approves === null ? describeSwap(chain, plan) : describeApproval(chain, plan, approves),
  };
}

function describeApproval(chain: ChainSpec, { tokenIn, label }: EvmSwapPlan, amount: bigint): string {
  if (amount === 0n) return `Set the approval of ${nameOf(chain, tokenIn)} for ${label} back to zero`;
  return `Approve ${amountOf(chain, tokenIn, amount)} for ${label}`;
}

function describeSwap(chain: ChainSpec, plan: EvmSwapPlan): string {
  const given = amountOf(chain, plan.tokenIn, plan.amountIn);
  if (plan.venue === null) return `${plan.tokenIn === null ? 'Wrap' : 'Unwrap'} ${given}`;
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
