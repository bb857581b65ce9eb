import type { Hex } from '#libs/core/ids.js';
import type { SolanaRoute, SolanaRouteHop, SolanaRouteRequest } from './solana-route.js';

/** One of the paths that together carry an amount. */
interface SplitLeg {
  /** Of the exact amount; all legs together have 10,000. */
  readonly shareBps: number;
  readonly hops: readonly SolanaRouteHop[];
}

export interface SplitRoute {
  readonly legs: readonly SplitLeg[];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

const WHOLE_BPS = 10_000;
/** Shares are multiples of this. */
const STEP_BPS = 500;
const MOST_LEGS = 3;
/** All legs together: what fits the accounts of one transaction. */
const MOST_HOPS = 8;
/** A split that gains less than this part is not worth its accounts. */
const LEAST_GAIN = 10_000n;

/** From this price impact on, in parts per million, a split is looked for. */
const SPLIT_PPM = 1_000;

/** Whether a split may gain something, by the impact of the whole amount on its best path. */
export const mayGainBySplit = (impactPpm: number | null): boolean => impactPpm === null || impactPpm >= SPLIT_PPM;

/** The best route of a request, null where there is none. */
type Find = (request: SolanaRouteRequest) => SolanaRoute | null;
/** Whether paths may be legs of one route. */
export type FitsRoute = (paths: readonly (readonly SolanaRouteHop[])[]) => boolean;

export const wholeRoute = ({ hops, amountIn, amountOut }: SolanaRoute): SplitRoute => ({
  legs: [{ shareBps: WHOLE_BPS, hops }],
  amountIn,
  amountOut,
});

/**
 * The amount over the best path and the best ones next to it, where that does better by more than a ten-thousandth. Invariant:
 * no pool is in two legs, so that each leg's amounts are exact on their own; all but the last leg get the amount times
 * their share, rounded down, the last one what is left over, as the swap program does.
 */
export function splitRoute(
  find: Find,
  request: SolanaRouteRequest,
  best: SolanaRoute,
  fits: FitsRoute = () => true,
): SplitRoute {
  const whole = wholeRoute(best);
  const paths = pathsBeside(find, request, best, fits);
  if (paths.length === 1) return whole;
  const shares = greedyShares(paths, request);
  if (shares === null) return whole;
  const split = legsOf(paths, shares, request);
  if (split === null || !fits(split.legs.map(({ hops }) => hops))) return whole;
  const [gain, of] =
    request.exact === 'in'
      ? [split.amountOut - whole.amountOut, whole.amountOut]
      : [whole.amountIn - split.amountIn, whole.amountIn];
  return gain * LEAST_GAIN > of ? split : whole;
}

type Path = readonly SolanaRouteHop[];

function pathsBeside(find: Find, request: SolanaRouteRequest, best: SolanaRoute, fits: FitsRoute): Path[] {
  const paths: Path[] = [best.hops];
  const used = new Set<Hex>(best.hops.map(({ pool }) => pool.id));
  let hops = best.hops.length;
  while (paths.length < MOST_LEGS && hops < MOST_HOPS) {
    const amount = request.amount / BigInt(paths.length + 1);
    if (amount === 0n) break;
    const maxHops = Math.min(request.maxHops, MOST_HOPS - hops) as SolanaRouteRequest['maxHops'];
    const next = find({ ...request, maxHops, amount, without: new Set(used) });
    if (next === null || !fits([...paths, next.hops])) break;
    paths.push(next.hops);
    hops += next.hops.length;
    for (const { pool } of next.hops) used.add(pool.id);
  }
  return paths;
}

/** Step by step to the path that does best with it: outputs grow ever slower with their inputs. */
function greedyShares(paths: readonly Path[], { exact, amount }: SolanaRouteRequest): number[] | null {
  const shares = paths.map(() => 0);
  /** What a path gives or costs with one step more; null where it refuses. */
  const withOneMore = (path: number): bigint | null => {
    const part = (amount * BigInt(shares[path]! + STEP_BPS)) / BigInt(WHOLE_BPS);
    return part === 0n ? null : otherSide(swaps(paths[path]!, exact, part), exact);
  };
  const values = paths.map(() => 0n);
  const next = paths.map((_, path) => withOneMore(path));
  for (let given = 0; given < WHOLE_BPS; given += STEP_BPS) {
    let chosen: { path: number; value: bigint; step: bigint } | null = null;
    for (const [path, value] of next.entries()) {
      if (value === null) continue;
      const step = value - values[path]!;
      if (chosen === null || (exact === 'in' ? step > chosen.step : step < chosen.step)) chosen = { path, value, step };
    }
    if (chosen === null) return null;
    shares[chosen.path]! += STEP_BPS;
    values[chosen.path] = chosen.value;
    next[chosen.path] = withOneMore(chosen.path);
  }
  return shares;
}

function legsOf(paths: readonly Path[], shares: readonly number[], request: SolanaRouteRequest): SplitRoute | null {
  const { exact, amount } = request;
  const used = paths.flatMap((hops, n) => (shares[n]! > 0 ? [{ hops, shareBps: shares[n]! }] : []));
  const legs: SplitLeg[] = [];
  const parts = partsOf(amount, used);
  for (const [n, { hops, shareBps }] of used.entries()) {
    const swapped = swaps(hops, exact, parts[n]!);
    if (swapped === null) return null;
    legs.push({ shareBps, hops: swapped });
  }
  const sum = (amountOf: (hops: Path) => bigint) => legs.reduce((total, { hops }) => total + amountOf(hops), 0n);
  return { legs, amountIn: sum((hops) => hops[0]!.amountIn), amountOut: sum((hops) => hops.at(-1)!.amountOut) };
}

/** The exact amount divided over the legs as the swap program does it: the last one has what rounding leaves over. */
export function partsOf(amount: bigint, legs: readonly { readonly shareBps: number }[]): bigint[] {
  let left = amount;
  return legs.map(({ shareBps }, n) => {
    const part = n + 1 === legs.length ? left : (amount * BigInt(shareBps)) / BigInt(WHOLE_BPS);
    left -= part;
    return part;
  });
}

const otherSide = (hops: Path | null, exact: 'in' | 'out'): bigint | null =>
  hops === null ? null : exact === 'in' ? hops.at(-1)!.amountOut : hops[0]!.amountIn;

/** The swaps of another amount along the same pools, as they are now; null where one refuses. */
export function swaps(
  path: readonly Pick<SolanaRouteHop, 'pool' | 'zeroForOne'>[],
  exact: 'in' | 'out',
  amount: bigint,
): SolanaRouteHop[] | null {
  const hops: SolanaRouteHop[] = [];
  let carried = amount;
  for (const { pool, zeroForOne } of exact === 'in' ? path : [...path].reverse()) {
    const aToB = zeroForOne === pool.aIsToken0;
    const { state } = pool;
    const swap = exact === 'in' ? state?.exactIn(aToB, carried) : state?.exactOut(aToB, carried);
    if (!swap) return null;
    hops.push({ pool, zeroForOne, ...swap });
    carried = exact === 'in' ? swap.amountOut : swap.amountIn;
  }
  return exact === 'in' ? hops : hops.reverse();
}
