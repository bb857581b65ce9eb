import type { Hex } from '#libs/core/ids.js';
import { VenueGraph } from '../venue-graph.js';
import { countPaths } from './count-paths.js';
import { isTooLittle, mostTaken, pathsOf } from './largest-amount.js';
import { type FoundPath, PathSearch } from './path-search.js';
import { LEAST_INPUT, MOST_OUTPUT, type SolanaTokenNode } from './search-direction.js';
import { SolanaPoolEdge, type SolanaRoutedPool } from './solana-edge.js';
import type { SolanaRoute, SolanaRouteAnswer, SolanaRouteHop, SolanaRouteRequest } from './solana-route.js';
import { type UsableEdges, usableEdges } from './usable-edges.js';

/** The pools that a finder follows, such as an AccountBook. */
export interface SolanaPools {
  /** Moves when a pool appears or goes. */
  readonly graphVersion: number;
  pool(id: Hex): SolanaRoutedPool | null;
  pools(): Iterable<SolanaRoutedPool>;
}

/** The tokens of a request, and the pools that it may use: for each group of venues that a route stays in. */
interface RouteQuery {
  readonly from: SolanaTokenNode;
  readonly to: SolanaTokenNode;
  readonly allowed: readonly UsableEdges[];
}

/**
 * Finds the route that gives the most for an input, or costs the least for an output, over all quotable Solana pools.
 *
 * Invariants: the amounts are what the programs compute, one swap after the other; no route of at most `maxHops` hops over
 * the venues does better, as far as a search looks (`MOST_LOOKS`); of those that do as well, the one with fewer hops is
 * taken. A search reads the pools within one turn of the event loop. `candidates` counts all paths over quotable pools, which
 * the search compares by their amounts or by bounds of them.
 */
export class SolanaRouteFinder {
  private graph = new VenueGraph<SolanaPoolEdge>((pool, zeroForOne) => new SolanaPoolEdge(pool, zeroForOne));
  private readonly pools = new Set<SolanaRoutedPool>();
  private graphVersion = -1;

  constructor(private readonly book: SolanaPools) {}

  find(request: SolanaRouteRequest): SolanaRouteAnswer {
    const queryOf = this.question(request);
    if (queryOf === null) return { kind: 'none' };
    const { from, to, allowed } = queryOf;
    const { maxHops, amount } = request;
    let candidates = 0;
    for (const usable of allowed) candidates += countPaths(from, to, maxHops, usable);
    if (candidates === 0) return { kind: 'none' };
    const best = this.best(request, queryOf);
    if (best !== null) return { kind: 'route', route: routeOf(request, best), candidates };
    const paths = allowed.map((usable) => pathsOf(from, to, maxHops, usable));
    if (request.exact === 'in' && paths.some((each) => isTooLittle(each, amount))) return { kind: 'too-small' };
    let maxAmount = 0n;
    for (const each of paths) {
      const most = mostTaken(request.exact, each, amount);
      if (most > maxAmount) maxAmount = most;
    }
    return { kind: 'too-large', maxAmount };
  }

  /** The route of `find` alone: where there is none, not why. */
  route(request: SolanaRouteRequest): SolanaRoute | null {
    const question = this.question(request);
    const best = question && this.best(request, question);
    return best && routeOf(request, best);
  }

  private question({ tokenIn, tokenOut, venues, mixVenues, without }: SolanaRouteRequest): RouteQuery | null {
    this.follow();
    const [from, to] = [this.graph.node(tokenIn), this.graph.node(tokenOut)];
    if (from === undefined || to === undefined || from === to) return null;
    const groups = mixVenues ? [venues] : [...venues].sort().map((venue) => new Set([venue]));
    const allowed = groups.map((group) =>
      usableEdges(({ pool }) => group.has(pool.venue) && without?.has(pool.id) !== true),
    );
    return { from, to, allowed };
  }

  private best({ exact, amount, maxHops }: SolanaRouteRequest, { from, to, allowed }: RouteQuery): FoundPath | null {
    const searches = allowed.map((usable) =>
      exact === 'in'
        ? new PathSearch(MOST_OUTPUT, from, to, amount, usable)
        : new PathSearch(LEAST_INPUT, to, from, amount, usable),
    );
    let best = null as FoundPath | null;
    for (let hops = 1; hops <= maxHops; hops++) {
      for (const search of searches) best = search.find(hops, best?.amount ?? null) ?? best;
    }
    return best;
  }

  /** Takes over the pools that came and went. */
  private follow(): void {
    const { book, pools, graph } = this;
    if (book.graphVersion === this.graphVersion) return;
    this.graphVersion = book.graphVersion;
    for (const pool of pools) {
      if (book.pool(pool.id) === pool) continue;
      pools.delete(pool);
      graph.remove(pool);
    }
    for (const pool of book.pools()) {
      if (pools.has(pool)) continue;
      pools.add(pool);
      graph.add(pool);
    }
  }
}

function routeOf({ exact, amount }: SolanaRouteRequest, { edges }: FoundPath): SolanaRoute {
  const hops: SolanaRouteHop[] = [];
  let carried = amount;
  for (const edge of edges) {
    const swap = exact === 'in' ? edge.swapIn(carried)! : edge.swapOut(carried)!;
    const { pool, zeroForOne } = edge;
    hops.push({ pool, zeroForOne, ...swap });
    carried = exact === 'in' ? swap.amountOut : swap.amountIn;
  }
  if (exact === 'out') hops.reverse();
  return { hops, amountIn: hops[0]!.amountIn, amountOut: hops.at(-1)!.amountOut };
}
