import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import type { SolanaTokenNode } from './search-direction.js';
import type { SolanaPoolEdge } from './solana-edge.js';
import type { UsableEdges } from './usable-edges.js';

/** Paths that are looked at, and those among them that are computed exactly. */
const MOST_PATHS = 500;
const DEEPEST = 4;
const U64_FLOAT = 2 ** 64;
/** The largest amount is found to a thousandth: 2^-10. */
const CLOSE_BITS = 10n;

/** Pools one after the other. */
export type Path = readonly SolanaPoolEdge[];

/** Whether some path takes the amount, though it gives nothing for it. */
export function isTooLittle(paths: readonly Path[], amount: bigint): boolean {
  return paths.some((path) => {
    let carried = amount;
    for (const edge of path) {
      carried = edge.exact(carried);
      if (carried === NOT_TAKEN) return false;
    }
    return true;
  });
}

/**
 * About the most below the amount that one of the deepest paths takes as an input, or gives as an output. Invariant: some route
 * takes or gives just this; bounded work, whatever the graph.
 */
export function mostTaken(exact: 'in' | 'out', paths: readonly Path[], amount: bigint): bigint {
  // Without a swap: the paths are many, and swaps of the largest amounts go through a whole pool.
  const depth = (path: Path): number => path.reduce((carried, edge) => edge.depthFor(carried), U64_FLOAT);
  const ranked = paths
    .map((path) => ({ path, depth: depth(path) }))
    .sort((a, b) => b.depth - a.depth)
    .slice(0, DEEPEST);
  let most = 0n;
  for (const { path } of ranked) most = largest(most, amount, (tried) => gives(exact, path, tried));
  return most;
}

/**
 * About the largest amount above `floor` and below `end` that fits, or the floor; by halving, as if all amounts below a
 * fitting one fit.
 */
function largest(floor: bigint, end: bigint, fits: (amount: bigint) => boolean): bigint {
  let low = floor;
  let high = end - 1n;
  // A path that does not take a thousandth more than another one is no gain.
  const more = low + (low >> CLOSE_BITS) + 1n;
  if (low > 0n && (more > high || !fits(more))) return floor;
  // Powers of two first: what is too little for a pool does not fit either.
  let power = 1n << BigInt(high > 0n ? high.toString(2).length - 1 : 0);
  while (power > low && !fits(power)) power >>= 1n;
  if (power > low) low = power;
  else if (low > 0n) low = more;
  else return floor;
  if (high > 2n * power) high = 2n * power;
  while (high - low > low >> CLOSE_BITS) {
    const middle = (low + high + 1n) / 2n;
    if (fits(middle)) low = middle;
    else high = middle - 1n;
  }
  return low;
}

function gives(exact: 'in' | 'out', path: Path, amount: bigint): boolean {
  let carried: bigint | null = amount;
  const order = exact === 'in' ? path : [...path].reverse();
  for (const edge of order) {
    carried = (exact === 'in' ? edge.swapIn(carried)?.amountOut : edge.swapOut(carried)?.amountIn) ?? null;
    if (carried === null) return false;
  }
  return true;
}

/** Chains without a token twice, the shortest first; so many of them that the work is bounded. */
export function pathsOf(from: SolanaTokenNode, to: SolanaTokenNode, maxHops: number, usable: UsableEdges): Path[] {
  const found: SolanaPoolEdge[][] = [];
  let open: { node: SolanaTokenNode; seen: readonly SolanaTokenNode[]; path: SolanaPoolEdge[] }[] = [
    { node: from, seen: [from], path: [] },
  ];
  for (let hops = 1; hops <= maxHops && found.length < MOST_PATHS; hops++) {
    const longer: typeof open = [];
    for (const { node, seen, path } of open) {
      for (const link of node.links) {
        const next = link.to;
        // What leads to no end any more is not looked through.
        const isOver = hops === maxHops || longer.length >= MOST_PATHS;
        if ((next !== to && isOver) || seen.includes(next)) continue;
        for (const edge of usable(link)) {
          if (next === to) found.push([...path, edge]);
          else if (longer.length < MOST_PATHS) {
            longer.push({ node: next, seen: [...seen, next], path: [...path, edge] });
          }
        }
      }
    }
    open = longer;
  }
  return found.slice(0, MOST_PATHS);
}
