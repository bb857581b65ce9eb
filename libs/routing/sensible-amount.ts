import { NOT_TAKEN } from '#libs/amm/concentrated-quote.js';
import { contractEdge } from './contract-edge.js';
import { impactBps } from './price-impact.js';
import type { Route } from './route.js';

/** The answer is at most this part of itself too small. */
const PRECISION_BITS = 20n;
const WHOLE_BPS = 10_000;

/**
 * The largest amount, to about a millionth of itself, whose impact along the pools of a route is at most so many basis
 * points; null when even one base unit has more. Impact along fixed pools grows with the amount.
 */
export function sensibleAmount(route: Route, limitBps: number): bigint | null {
  const edges = route.hops.map(({ pool, zeroForOne }) => contractEdge(pool, zeroForOne));
  if (!edges.every((edge) => edge.usable())) return null;
  const isSensible = (amountIn: bigint): boolean => {
    let amount = amountIn;
    for (const edge of edges) {
      const out = edge.exact(amount);
      if (out === NOT_TAKEN) return false;
      amount = out;
    }
    const [first, ...rest] = route.hops;
    const impact = impactBps({ ...route, hops: [{ ...first!, amountIn }, ...rest], amountOut: amount });
    return (impact ?? WHOLE_BPS) <= limitBps;
  };
  // Amounts too small to give anything say nothing: the search begins at the top.
  const most = route.hops[0]!.amountIn;
  if (isSensible(most)) return most;
  let high = most;
  let low = most >> 1n;
  while (low > 0n && !isSensible(low)) {
    high = low;
    low >>= 1n;
  }
  if (low === 0n) return null;
  while (high - low > low >> PRECISION_BITS && high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (isSensible(middle)) low = middle;
    else high = middle;
  }
  return low;
}
