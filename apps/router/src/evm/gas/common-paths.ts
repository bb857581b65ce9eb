import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Route, RouteAnswer, RouteRequest } from '#libs/routing/search/route.js';

/**
 * The routes whose gas is read first: from the coin and the stables to one another and to the usual intermediates, over
 * each venue whose quoter counts gas. Their gas is known before anyone quotes them.
 */
export function commonRoutes(
  chain: ChainSpec,
  servable: ReadonlySet<string>,
  find: (request: RouteRequest) => RouteAnswer,
): Route[] {
  const { wrappedNative, stables, venues, evm } = chain;
  const inputs = [{ ...wrappedNative, units: 1n }, ...stables.map((stable) => ({ ...stable, units: 1_000n }))];
  const outputs = new Set([...inputs.map(({ token }) => token), ...(evm?.intermediates ?? [])]);
  const counting = venues.filter(
    ({ venue, contracts }) => servable.has(venue) && contracts?.swaps.quotesByView === false,
  );
  const routes: Route[] = [];
  for (const { venue } of counting) {
    for (const { token: tokenIn, decimals, units } of inputs) {
      for (const tokenOut of outputs) {
        if (tokenOut === tokenIn) continue;
        const amountIn = units * 10n ** BigInt(decimals);
        const answer = find({ tokenIn, tokenOut, amountIn, maxHops: 2, venues: new Set([venue]) });
        if (answer.kind === 'route') routes.push(answer.route);
      }
    }
  }
  return routes;
}
