import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import { Frontier } from './frontier.js';
import type { TokenNode } from './venue-graph.js';

const NO_ROUTE = -1n;

/**
 * The most that some route between two tokens of one venue takes. Invariant: exact to the base unit. Computed
 * backwards: what a token's pools take is limited by what the next pool takes of their output, which never falls when
 * the input grows.
 */
export class CapacitySearch {
  private readonly known = [new Map<TokenNode, bigint>(), new Map<TokenNode, bigint>()] as const;

  constructor(
    private readonly origin: TokenNode,
    private readonly target: TokenNode,
  ) {}

  /** Of the routes of exactly so many hops; the floor when none takes more. Stops at the first that takes enough. */
  most(hops: number, floor: bigint, enough: bigint): bigint {
    return this.search(this.origin, hops, floor, enough);
  }

  /** What so many hops take of a token on the way; NO_ROUTE when they do not lead to the target. */
  private onwards(node: TokenNode, hops: 1 | 2): bigint {
    const known = this.known[hops - 1]!;
    let most = known.get(node);
    if (most === undefined) {
      most = this.search(node, hops, NO_ROUTE);
      known.set(node, most);
    }
    return most;
  }

  /** The most that is above the floor, or the floor. */
  private search(from: TokenNode, hops: number, floor: bigint, enough?: bigint): bigint {
    const { origin, target } = this;
    const frontier = new Frontier();
    for (const { to, edges } of from.links) {
      const fits = hops === 1 ? to === target : to !== target && to !== origin;
      if (!fits || (hops === 2 && !to.linkTo.has(target))) continue;
      for (const edge of edges) if (edge.usable()) frontier.add(edge.capacityUpper(), edge, to);
    }
    let most = floor;
    for (let next = frontier.take(Number(most)); next !== null; next = frontier.take(Number(most))) {
      if (enough !== undefined && most >= enough) break;
      const { edge, node } = next;
      if (hops === 1) {
        const capacity = edge.capacity();
        if (capacity > most) most = capacity;
        continue;
      }
      const limit = this.onwards(node, hops === 2 ? 1 : 2);
      if (limit === NO_ROUTE) continue;
      // One call rules out most of the edges that cannot take more.
      const more = most < 0n ? 0n : edge.exact(most + 1n);
      if (more !== NOT_TAKEN && more <= limit) most = edge.mostInput(limit);
    }
    return most;
  }
}
