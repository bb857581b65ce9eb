import type { FactsPosition, QuoteReceipt } from '#libs/protocol/receipts.js';
import { newReceipt } from '../../receipts/new-receipt.js';
import type { BuiltEvmSwap } from '../model/built-swap.js';
import { venueOf } from '../model/evm-quote.js';

/**
 * The receipt of a build that was answered. Null for a wrap or unwrap: it touches no pool, so facts cannot show whether
 * it was sent, and its output is known beforehand.
 */
export function receiptOfBuild(
  { request, plan, simulation, deadline }: Pick<BuiltEvmSwap, 'request' | 'plan' | 'simulation' | 'deadline'>,
  account: string | null,
  builtAfter: FactsPosition,
  builtAt: number,
): QuoteReceipt | null {
  const { quoteId, priced } = request.quote;
  const { chain, route, head } = priced;
  if (route === null) return null;
  const { id: venueId, label: dex } = venueOf(chain, route);
  const { amountIn } = priced;
  const hops = plan.pools.map((pool) => ({ pool, dex }));
  return {
    ...newReceipt(account, builtAfter, builtAt),
    quoteId,
    chain: chain.slug,
    wallet: plan.wallet,
    recipient: plan.recipient,
    inputMint: priced.inputMint,
    outputMint: priced.outputMint,
    exact: 'in',
    inAmount: amountIn,
    quotedOut: priced.amountOut,
    simulatedIn: amountIn,
    simulatedOut: simulation.received,
    threshold: plan.floor,
    slippageBps: plan.slippageBps,
    feeBps: 0,
    ...{ venueId, dex },
    legs: [{ shareBps: 10_000, amount: amountIn, leastIn: amountIn, hops }],
    quoteBlock: { number: head.height, hash: head.hash },
    buildBlock: simulation.block,
    deadline: Number(deadline) * 1_000,
    lastHeight: 0,
  };
}
