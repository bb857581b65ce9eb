import type { SolanaLink, SolanaTokenNode } from './search-direction.js';
import type { UsableEdges } from './usable-edges.js';

/**
 * How many paths over usable pools lead from one token to another in one to so many hops, at most four, without coming to a
 * token twice. Invariant: counted, not enumerated.
 */
export function countPaths(
  start: SolanaTokenNode,
  goal: SolanaTokenNode,
  maxHops: number,
  usable: UsableEdges,
): number {
  const pools = (link: SolanaLink): number => usable(link).length;
  const inside = (node: SolanaTokenNode): boolean => node !== start && node !== goal;
  const onwards = (from: ReadonlyMap<SolanaTokenNode, number>): Map<SolanaTokenNode, number> => {
    const ways = new Map<SolanaTokenNode, number>();
    for (const [node, count] of from) {
      for (const link of node.links) {
        if (inside(link.to)) ways.set(link.to, (ways.get(link.to) ?? 0) + count * pools(link));
      }
    }
    return ways;
  };
  const arriving = (ways: ReadonlyMap<SolanaTokenNode, number>): number => {
    let sum = 0;
    for (const link of goal.links) sum += (ways.get(link.to) ?? 0) * pools(link.back);
    return sum;
  };
  let ways: ReadonlyMap<SolanaTokenNode, number> = new Map([[start, 1]]);
  let total = 0;
  for (let hops = 1; hops <= maxHops; hops++) {
    total += arriving(ways);
    if (hops === maxHops) break;
    const first = hops === 3 ? onwards(new Map([[start, 1]])) : null;
    ways = onwards(ways);
    if (first === null) continue;
    // There and back again: the first token of the path is met once more as the third.
    const once = new Map(ways);
    for (const [node, count] of first) {
      let returns = 0;
      for (const link of node.links) if (inside(link.to)) returns += pools(link) * pools(link.back);
      once.set(node, (once.get(node) ?? 0) - count * returns);
    }
    ways = once;
  }
  return total;
}
