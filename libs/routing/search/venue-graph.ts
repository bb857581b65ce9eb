import type { Hex } from '#libs/core/ids.js';
import type { GraphEdge, PoolEdge, RoutedPool } from './pool-edge.js';

/** All pools from one token to another, in the order of their ids. */
export class Link<E extends GraphEdge = PoolEdge> {
  readonly edges: E[] = [];
  readonly back: Link<E>;

  constructor(
    readonly from: TokenNode<E>,
    readonly to: TokenNode<E>,
    back: Link<E> | null = null,
  ) {
    this.back = back ?? new Link<E>(to, from, this);
  }
}

/** One token of a graph, with room for what one search notes about it (`mark` says which). */
export class TokenNode<E extends GraphEdge = PoolEdge> {
  readonly links: Link<E>[] = [];
  readonly linkTo = new Map<TokenNode<E>, Link<E>>();
  readonly first = new Reach();
  readonly second = new Reach();

  constructor(readonly token: Hex) {}
}

/** How a search gets to a token in so many hops. */
export class Reach {
  /** The search that wrote the other fields. */
  mark = 0;
  /** No exact amount is above it. Never a small integer from the start, so that all objects keep one shape. */
  bound = Number.NaN;
  /** Chains of pools that lead here. */
  paths = 0;
  /** The most that arrives, once it was asked for. */
  best: GraphStep | null | undefined;
  /** Everything that arrives, the most first, once it was asked for. */
  all: GraphStep[] | undefined;

  begin(mark: number): void {
    this.mark = mark;
    this.bound = 0;
    this.paths = 0;
    this.best = undefined;
    this.all = undefined;
  }
}

/** One exact hop and the hops before it. `amountOut` is above zero. */
export interface GraphStep {
  readonly previous: GraphStep | null;
  readonly edge: PoolEdge;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Makes the edge over a pool in one direction. */
export type EdgeFactory<E extends GraphEdge> = (pool: E['pool'], zeroForOne: boolean) => E;

/**
 * Pools as a graph of tokens, those of one venue or of several. Invariant: holds the pools that were added and not removed since, a token
 * only as long as it has a pool; links and edges do not depend on the order in which pools came.
 */
export class VenueGraph<E extends GraphEdge = PoolEdge> {
  private readonly nodes = new Map<Hex, TokenNode<E>>();

  constructor(
    private readonly edgeOf: EdgeFactory<E>,
    /** Empty for a graph of several venues. */
    readonly venue = '',
    /** Order of what one hop costs, compared with other venues' hops: 0 constant product, 1 concentrated. */
    readonly gasRank = 0,
  ) {}

  node(token: Hex): TokenNode<E> | undefined {
    return this.nodes.get(token);
  }

  get isEmpty(): boolean {
    return this.nodes.size === 0;
  }

  add(pool: E['pool']): void {
    const [token0, token1] = [this.nodeOf(pool.token0), this.nodeOf(pool.token1)];
    const link = token0.linkTo.get(token1) ?? connect(token0, token1);
    insert(link.edges, this.edgeOf(pool, true));
    insert(link.back.edges, this.edgeOf(pool, false));
  }

  remove(pool: RoutedPool): void {
    const [token0, token1] = [this.nodes.get(pool.token0)!, this.nodes.get(pool.token1)!];
    const link = token0.linkTo.get(token1)!;
    for (const { edges } of [link, link.back]) {
      edges.splice(
        edges.findIndex((edge) => edge.pool === pool),
        1,
      );
    }
    if (link.edges.length > 0) return;
    for (const one of [link, link.back]) {
      one.from.linkTo.delete(one.to);
      one.from.links.splice(one.from.links.indexOf(one), 1);
      if (one.from.links.length === 0) this.nodes.delete(one.from.token);
    }
  }

  private nodeOf(token: Hex): TokenNode<E> {
    let node = this.nodes.get(token);
    if (node === undefined) {
      node = new TokenNode<E>(token);
      this.nodes.set(token, node);
    }
    return node;
  }
}

function connect<E extends GraphEdge>(from: TokenNode<E>, to: TokenNode<E>): Link<E> {
  const there = new Link<E>(from, to);
  for (const link of [there, there.back]) {
    link.from.links.push(link);
    link.from.linkTo.set(link.to, link);
  }
  return there;
}

function insert<E extends GraphEdge>(edges: E[], edge: E): void {
  const at = edges.findIndex((other) => other.pool.id > edge.pool.id);
  edges.splice(at < 0 ? edges.length : at, 0, edge);
}
