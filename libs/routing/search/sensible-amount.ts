import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
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
  // Upwards from dust, where rounding alone takes much: small amounts are quick to compute, and large ones cross every tick.
  const most = route.hops[0]!.amountIn;
  let low = 0n;
  let high = most;
  let beyond = 0;
  for (let amount = 1n; amount <= most; amount <<= 1n) {
    if (isSensible(amount)) low = amount;
    else if (low > 0n || (amount > DUST && ++beyond === ENOUGH)) {
      high = amount;
      break;
    }
  }
  if (low === 0n) return null;
  if (high === most && isSensible(most)) return most;
  while (high - low > low >> PRECISION_BITS && high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (isSensible(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Amounts up to this one may lose more than the limit to rounding. */
const DUST = 1n << 32n;
/** So many doublings beyond dust without a sensible amount, and there is none. */
const ENOUGH = 8;
