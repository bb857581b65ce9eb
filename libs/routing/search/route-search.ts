// Room: the exact search for the best route over the pools. May import core, protocol, chain/amm, chain/chains,
// chain/market-ports, routing/pools.

import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import { Frontier } from './frontier.js';
import type { PoolEdge } from './pool-edge.js';
import type { GraphStep, Link, Reach, TokenNode } from './venue-graph.js';

let searches = 0;

/**
 * The best route between two tokens of one venue, exactly.
 *
 * Bounds go forwards: for each token in reach, no exact amount can arrive in so many hops that is above its bound. Exact
 * amounts are then asked for backwards, the most promising edge first, until no bound is above the best amount known.
 *
 * Why the best amount per token and number of hops is enough: output never falls when the input grows, and with at most
 * three hops whose intermediates are neither end of the route, no token and no pool can come twice: the two ends of the
 * middle pool differ, and each pool joins another pair of tokens. The one exception is a pool that does not take so much:
 * then the most that it does take is looked for among everything that arrives (`bestWithin`).
 */
export class RouteSearch {
  private readonly mark = ++searches;
  private readonly amountFloat: number;

  constructor(
    private readonly origin: TokenNode,
    private readonly target: TokenNode,
    private readonly amountIn: bigint,
  ) {
    this.amountFloat = Number(amountIn);
  }

  /**
   * The best route of exactly so many hops that gives more than `floor`, and how many paths over usable pools there are,
   * whether their amount was computed or their bound ruled them out.
   */
  find(hops: number, floor: bigint): { best: GraphStep | null; paths: number } {
    const last = new Frontier();
    const paths = this.lastEdges(hops, last, Number(floor));
    let best: GraphStep | null = null;
    let most = floor;
    for (;;) {
      const next = last.take(Number(most));
      if (next === null) return { best, paths };
      const step = this.stepOver(next.edge, next.node, hops, most);
      if (step === null) continue;
      best = step;
      most = step.amountOut;
    }
  }

  /** Adds the pools that a route of so many hops can end with, where their bound is above the floor. */
  private lastEdges(hops: number, last: Frontier, floor: number): number {
    const { origin, target } = this;
    let paths = 0;
    const add = (link: Link, bound: number, ways: number) => {
      for (const edge of link.edges) {
        if (!edge.usable()) continue;
        paths += ways;
        const upper = edge.upper(bound);
        if (upper > floor) last.add(upper, edge, link.from);
      }
    };
    if (hops === 1) {
      const link = origin.linkTo.get(target);
      if (link !== undefined) add(link, this.amountFloat, 1);
      return paths;
    }
    if (hops === 2) {
      for (const node of common(origin, target)) {
        const reach = this.firstReach(node);
        if (reach.paths > 0) add(node.linkTo.get(target)!, reach.bound, reach.paths);
      }
      return paths;
    }
    for (const node of this.spread()) add(node.linkTo.get(target)!, node.second.bound, node.second.paths);
    return paths;
  }

  private firstReach(node: TokenNode): Reach {
    const reach = node.first;
    if (reach.mark === this.mark) return reach;
    reach.begin(this.mark);
    const link = this.origin.linkTo.get(node);
    if (link === undefined || node === this.target) return reach;
    for (const edge of link.edges) {
      if (!edge.usable()) continue;
      reach.paths++;
      const bound = edge.upper(this.amountFloat);
      if (bound > reach.bound) reach.bound = bound;
    }
    return reach;
  }

  /** Tokens that two hops lead to and from which one pool leads to the target, with their second reach. */
  private spread(): TokenNode[] {
    const { origin, target, mark } = this;
    const found: TokenNode[] = [];
    const widen = (middle: Link) => {
      const { paths, bound } = this.firstReach(middle.from);
      if (paths === 0) return;
      const reach = middle.to.second;
      if (reach.mark !== mark) {
        reach.begin(mark);
        found.push(middle.to);
      }
      for (const edge of middle.edges) {
        if (!edge.usable()) continue;
        reach.paths += paths;
        const upper = edge.upper(bound);
        if (upper > reach.bound) reach.bound = upper;
      }
    };
    // There are three ways to meet in the middle; the one that looks at the fewest links is used.
    const fromOrigin = linksBeyond(origin);
    const fromTarget = linksBeyond(target);
    const across = LOOK_UP * origin.links.length * target.links.length;
    if (across <= fromOrigin && across <= fromTarget) {
      for (const { to: first } of origin.links) {
        if (first === target) continue;
        for (const { to: second } of target.links) {
          const middle = second === origin ? undefined : first.linkTo.get(second);
          if (middle !== undefined) widen(middle);
        }
      }
    } else if (fromTarget <= fromOrigin) {
      for (const { to: second } of target.links) {
        if (second === origin) continue;
        for (const { to: first, back } of second.links) if (first !== origin) widen(back);
      }
    } else {
      for (const { to: first } of origin.links) {
        if (first === target) continue;
        for (const middle of first.links) {
          if (middle.to !== origin && middle.to.linkTo.has(target)) widen(middle);
        }
      }
    }
    return found;
  }

  /** The hop over an edge that ends a route of so many hops, when it gives more than `floor`. */
  private stepOver(edge: PoolEdge, node: TokenNode, hops: number, floor: bigint): GraphStep | null {
    const previous = hops === 1 ? null : this.best(node, hops - 1);
    if (previous === null && hops > 1) return null;
    const amountIn = previous === null ? this.amountIn : previous.amountOut;
    if (edge.upper(Number(amountIn)) <= Number(floor)) return null;
    const amountOut = edge.exact(amountIn);
    if (amountOut !== NOT_TAKEN) return amountOut > floor ? { previous, edge, amountIn, amountOut } : null;
    if (hops === 1 || edge.mostOutput() <= Number(floor)) return null;
    const smaller = this.bestWithin(node, hops - 1, edge.capacity());
    if (smaller === null) return null;
    const less = edge.exact(smaller.amountOut);
    return less > floor ? { previous: smaller, edge, amountIn: smaller.amountOut, amountOut: less } : null;
  }

  /** The most that arrives at a token in exactly so many hops. */
  private best(node: TokenNode, hops: number): GraphStep | null {
    const reach = hops === 1 ? node.first : node.second;
    if (reach.best !== undefined) return reach.best;
    const frontier = new Frontier();
    if (hops === 1) {
      for (const edge of this.origin.linkTo.get(node)!.edges) {
        if (edge.usable()) frontier.add(edge.upper(this.amountFloat), edge, this.origin);
      }
    } else this.middleEdges(node, frontier);
    reach.best = null;
    let most = 0n;
    for (;;) {
      const next = frontier.take(Number(most));
      if (next === null) return reach.best;
      const step = this.stepOver(next.edge, next.node, hops, most);
      if (step === null) continue;
      reach.best = step;
      most = step.amountOut;
    }
  }

  private middleEdges(node: TokenNode, frontier: Frontier): void {
    for (const first of common(this.origin, node)) {
      const { paths, bound } = this.firstReach(first);
      if (paths === 0) continue;
      for (const edge of first.linkTo.get(node)!.edges) {
        if (edge.usable()) frontier.add(edge.upper(bound), edge, first);
      }
    }
  }

  /** The most that arrives in exactly so many hops and is at most `limit`. */
  private bestWithin(node: TokenNode, hops: number, limit: bigint): GraphStep | null {
    if (hops === 1) return this.allFirst(node).find((step) => step.amountOut <= limit) ?? null;
    let best: GraphStep | null = null;
    let most = 0n;
    const frontier = new Frontier();
    this.middleEdges(node, frontier);
    for (let next = frontier.take(0); next !== null; next = frontier.take(Number(most))) {
      for (const previous of this.allFirst(next.node)) {
        const amountIn = previous.amountOut;
        if (next.edge.upper(Number(amountIn)) <= Number(most)) break;
        const amountOut = next.edge.exact(amountIn);
        if (amountOut === NOT_TAKEN || amountOut > limit) continue;
        if (amountOut > most) {
          best = { previous, edge: next.edge, amountIn, amountOut };
          most = amountOut;
        }
        break;
      }
    }
    return best;
  }

  /** Everything that arrives at a token with one hop, the most first. */
  private allFirst(node: TokenNode): GraphStep[] {
    const reach = node.first;
    if (reach.all !== undefined) return reach.all;
    const steps: GraphStep[] = [];
    for (const edge of this.origin.linkTo.get(node)!.edges) {
      const amountOut = edge.usable() ? edge.exact(this.amountIn) : 0n;
      if (amountOut > 0n) steps.push({ previous: null, edge, amountIn: this.amountIn, amountOut });
    }
    steps.sort((a, b) => (a.amountOut > b.amountOut ? -1 : a.amountOut < b.amountOut ? 1 : 0));
    reach.all = steps;
    return steps;
  }
}

/** The cost of looking up one pair of tokens, relative to following one link. */
const LOOK_UP = 3;

/** Tokens that have a pool with both. */
function* common(a: TokenNode, b: TokenNode): Generator<TokenNode> {
  const [fewer, other] = a.links.length <= b.links.length ? [a, b] : [b, a];
  for (const { to } of fewer.links) if (to.linkTo.has(other)) yield to;
}

function linksBeyond(node: TokenNode): number {
  let links = 0;
  for (const { to } of node.links) links += to.links.length;
  return links;
}
