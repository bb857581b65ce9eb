import type { EvmQuote, EvmRouteStep } from '#libs/serve/contract/rest/evm/quote-body.js';

export interface RouteNode {
  readonly mint: string;
  readonly amount: bigint;
}

/**
 * A quote as tokens with pools between them. The ends are what was asked for, so that the coin shows as itself; a wrap
 * has two ends and no pool, which is null.
 */
export function routeOf(quote: EvmQuote): { nodes: RouteNode[]; hops: (EvmRouteStep | null)[] } {
  const plan = quote.routePlan;
  const inner = plan.slice(0, -1).map(({ swapInfo }) => ({
    ...{ mint: swapInfo.outputMint, amount: BigInt(swapInfo.outAmount) },
  }));
  const nodes = [
    { mint: quote.inputMint, amount: BigInt(quote.inAmount) },
    ...inner,
    { mint: quote.outputMint, amount: BigInt(quote.outAmount) },
  ];
  return { nodes, hops: plan.length === 0 ? [null] : [...plan] };
}
