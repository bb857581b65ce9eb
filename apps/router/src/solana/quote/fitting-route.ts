import type { Hex } from '#libs/core/ids.js';
import type { SolanaRoute, SolanaRouteAnswer, SolanaRouteRequest } from '#libs/routing/search/solana/solana-route.js';
import type { FitsRoute } from '#libs/routing/search/solana/split-route.js';

type Find = (request: SolanaRouteRequest) => SolanaRouteAnswer;
/** `unfit`: there are routes, but none of those found fits one transaction. */
export type RouteFound = SolanaRouteAnswer | { readonly kind: 'unfit' };

/** Searches after the first one that one request may cost. */
const MOST_TRIES = 12;

/**
 * Finds the best route that fits one transaction. When the best of all routes does not fit, it takes the better one of
 * two: a route of fewer hops, and a route without the pools that need the most steps. Invariant: an answered route fits.
 */
export function fittingRoute(find: Find, request: SolanaRouteRequest, fits: FitsRoute): RouteFound {
  const first = find(request);
  if (first.kind !== 'route' || fits([first.route.hops])) return first;
  const tries = { left: MOST_TRIES };
  const found = [fewerHops, otherPools].flatMap((next) => tried(find, request, fits, first.route, next, tries) ?? []);
  if (found.length === 0) return { kind: 'unfit' };
  const isBetter = (a: SolanaRoute, b: SolanaRoute): boolean =>
    request.exact === 'in' ? a.amountOut > b.amountOut : a.amountIn < b.amountIn;
  const best = found.reduce((known, other) => (isBetter(other, known) ? other : known));
  return { kind: 'route', route: best, candidates: first.candidates };
}

type Next = (request: SolanaRouteRequest, route: SolanaRoute) => SolanaRouteRequest | null;

const fewerHops: Next = (request, { hops }) =>
  hops.length === 1 ? null : { ...request, maxHops: (hops.length - 1) as SolanaRouteRequest['maxHops'] };

const otherPools: Next = (request, { hops }) => {
  const heaviest = hops.reduce((known, hop) => ((hop.steps ?? 0) > (known.steps ?? 0) ? hop : known));
  return { ...request, without: new Set<Hex>([...(request.without ?? []), heaviest.pool.id]) };
};

function tried(
  find: Find,
  asked: SolanaRouteRequest,
  fits: FitsRoute,
  unfit: SolanaRoute,
  next: Next,
  tries: { left: number },
): SolanaRoute | null {
  let request: SolanaRouteRequest | null = next(asked, unfit);
  while (request !== null && tries.left-- > 0) {
    const answer = find(request);
    if (answer.kind !== 'route') return null;
    if (fits([answer.route.hops])) return answer.route;
    request = next(request, answer.route);
  }
  return null;
}
