import type { LivePool } from '#libs/routing/pools/live-pool.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import { CapacitySearch } from './capacity-search.js';
import { contractEdge, edgeKinds } from './contract-edge.js';
import type { PoolEdge } from './pool-edge.js';
import type { Route, RouteAnswer, RouteHop, RouteRequest } from './route.js';
import { RouteSearch } from './route-search.js';
import { type EdgeFactory, type GraphStep, VenueGraph } from './venue-graph.js';

/**
 * Finds the route that gives the most, over all pools of the book that may be quoted; no pool is preselected.
 *
 * Invariants: the amounts are what the contracts compute; no route of at most `maxHops` hops on one of the venues gives
 * more. Of routes that give the same, the one with fewer hops is taken, then the one whose hops cost less gas (constant
 * product before concentrated), then the first by venue name; inside a venue the order of bounds and pool ids decides, so
 * that books of the same state give the same route.
 *
 * `candidates` counts all paths over quotable pools with liquidity, of one to `maxHops` hops on one venue, that lead from
 * one token to the other without coming to a token twice: every one was compared, by its amount or by an upper bound of it.
 *
 * A route takes an amount when each of its pools takes all that comes to it. `too-large`: no route takes it. `too-small`:
 * some route takes it, and none gives anything for it.
 */
export class RouteFinder {
  private readonly graphs = new Map<string, VenueGraph>();
  /** Pools in the graphs. */
  private readonly pools = new Set<LivePool>();
  private order: VenueGraph[] = [];
  private graphVersion = -1;

  constructor(
    private readonly book: PoolBook,
    private readonly edgeOf: EdgeFactory<PoolEdge> = contractEdge,
  ) {}

  find(request: RouteRequest): RouteAnswer {
    const { tokenIn, tokenOut, amountIn, maxHops, venues } = request;
    this.book.name(tokenIn, tokenOut);
    this.follow();
    const searches: { graph: VenueGraph; search: RouteSearch }[] = [];
    for (const graph of this.order) {
      if (!venues.has(graph.venue)) continue;
      const [origin, target] = [graph.node(tokenIn), graph.node(tokenOut)];
      if (origin === undefined || target === undefined || origin === target) continue;
      searches.push({ graph, search: new RouteSearch(origin, target, amountIn) });
    }
    let best: GraphStep | null = null;
    let venue = '';
    let candidates = 0;
    for (let hops = 1; hops <= maxHops; hops++) {
      for (const { graph, search } of searches) {
        const found = search.find(hops, best?.amountOut ?? 0n);
        candidates += found.paths;
        if (found.best === null) continue;
        best = found.best;
        venue = graph.venue;
      }
    }
    if (best !== null) return { kind: 'route', route: routeOf(venue, best), candidates };
    if (candidates === 0) return { kind: 'none' };
    const maxAmountIn = this.most(request);
    return maxAmountIn >= amountIn ? { kind: 'too-small' } : { kind: 'too-large', maxAmountIn };
  }

  /** The most that some route takes, or something that is at least the amount. */
  private most({ tokenIn, tokenOut, amountIn, maxHops, venues }: RouteRequest): bigint {
    let most = 0n;
    for (const graph of this.order) {
      if (!venues.has(graph.venue)) continue;
      const [origin, target] = [graph.node(tokenIn), graph.node(tokenOut)];
      if (origin === undefined || target === undefined) continue;
      const search = new CapacitySearch(origin, target);
      for (let hops = 1; hops <= maxHops; hops++) most = search.most(hops, most, amountIn);
    }
    return most;
  }

  /** Takes over the pools that came to memory and left it. */
  private follow(): void {
    const { book, pools } = this;
    if (book.graphVersion === this.graphVersion) return;
    const moved = this.graphVersion < 0 ? null : book.movedSince(this.graphVersion);
    this.graphVersion = book.graphVersion;
    for (const pool of moved ?? book.pools()) {
      if (pools.has(pool) || !book.has(pool)) continue;
      if (edgeKinds[pool.kind] === undefined) continue;
      pools.add(pool);
      this.graphFor(pool).add(pool);
    }
    for (const pool of moved ?? pools) if (pools.has(pool) && !book.has(pool)) this.drop(pool);
    this.order = [...this.graphs.values()].sort(
      (a, b) => a.gasRank - b.gasRank || (a.venue < b.venue ? -1 : a.venue > b.venue ? 1 : 0),
    );
  }

  private graphFor(pool: LivePool): VenueGraph {
    let graph = this.graphs.get(pool.venue);
    if (graph === undefined) {
      graph = new VenueGraph(this.edgeOf, pool.venue, edgeKinds[pool.kind]!.gasRank);
      this.graphs.set(pool.venue, graph);
    }
    return graph;
  }

  private drop(pool: LivePool): void {
    this.pools.delete(pool);
    const graph = this.graphs.get(pool.venue)!;
    graph.remove(pool);
    if (graph.isEmpty) this.graphs.delete(pool.venue);
  }
}

function routeOf(venue: string, last: GraphStep): Route {
  const hops: RouteHop[] = [];
  for (let step: GraphStep | null = last; step !== null; step = step.previous) {
    const { edge, amountIn, amountOut } = step;
    const { pool, zeroForOne } = edge;
    hops.unshift({ pool, zeroForOne, amountIn, amountOut, feeAmount: edge.fee(amountIn) });
  }
  return { venue, hops, amountOut: last.amountOut };
}
