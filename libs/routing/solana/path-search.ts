import { BestFirst } from './best-first.js';
import type { SearchDirection, SolanaNode } from './search-direction.js';
import type { SolanaPoolEdge } from './solana-edge.js';

/** Edges in the order of the search, and the amount at the end of the path. */
export interface FoundPath {
  readonly edges: readonly SolanaPoolEdge[];
  readonly amount: bigint;
}

/** The last hops of a path, from `node` to the goal; `level` hops lead to `node`. */
interface Ending {
  readonly score: number;
  readonly edge: SolanaPoolEdge;
  readonly node: SolanaNode;
  readonly level: number;
  readonly next: Ending | null;
}

/** The bound after a pool that so many hops lead to; `isTight` once an exact swap made it close. */
interface Reached {
  bound: number;
  isTight: boolean;
}

/**
 * The best path between two tokens without a token twice, exactly. Invariant: no path of the asked number of hops gives
 * a better exact amount.
 *
 * Bounds go from the start: for each token, no amount after so many hops is better than its bound. Paths are then grown
 * from the goal back to the start, the most promising ending first, and those that reach the start are computed
 * exactly, until no bound is better than the best amount known. Every path is computed on its own: on Solana the output
 * of a pool may fall by some units when the input grows, so that the best amount at a token in between is not always
 * the start of the best path.
 */
export class PathSearch {
  /** Bounds by token and number of hops; the start itself at none. */
  private readonly levels: Map<SolanaNode, number>[];
  /** By number of hops before a pool; null for one that refuses. */
  private readonly reachedAt: Map<SolanaPoolEdge, Reached | null>[] = [];

  constructor(
    private readonly direction: SearchDirection,
    private readonly start: SolanaNode,
    private readonly goal: SolanaNode,
    private readonly amount: bigint,
    private readonly allows: (edge: SolanaPoolEdge) => boolean,
  ) {
    this.levels = [new Map([[start, Number(amount)]])];
  }

  /** The best path of exactly so many hops that is better than `floor`. */
  find(hops: number, floor: bigint | null): FoundPath | null {
    const { direction, goal } = this;
    const endings = new BestFirst<Ending>(comesFirst);
    this.grow(goal, null, hops - 1, endings, this.floorOf(floor));
    let best: FoundPath | null = null;
    let known = floor;
    for (;;) {
      const ending = endings.take();
      if (ending === null || !(ending.score > this.floorOf(known))) return best;
      if (ending.level > 0) {
        this.grow(ending.node, ending, ending.level - 1, endings, this.floorOf(known));
        continue;
      }
      const amount = this.compute(ending, known);
      if (amount === null || (known !== null && !direction.isBetter(amount, known))) continue;
      known = amount;
      best = { edges: edgesOf(ending), amount };
    }
  }

  /** Adds the endings that are one hop longer: pools from a token after `level` hops to `node`. */
  private grow(
    node: SolanaNode,
    ending: Ending | null,
    level: number,
    endings: BestFirst<Ending>,
    floor: number,
  ): void {
    const { direction } = this;
    const bounds = this.boundsAt(level);
    for (const link of node.links) {
      const from = link.to;
      const bound = bounds.get(from);
      if (bound === undefined || passes(ending, from)) continue;
      for (const edge of direction.edges(link.back)) {
        if (!this.allows(edge) || !edge.usable()) continue;
        const reached = this.reached(edge, bound, level);
        if (reached === null) continue;
        let score = direction.score(this.through(ending, reached.bound));
        if (!(score > floor)) continue;
        if (!reached.isTight) score = direction.score(this.through(ending, this.tighten(reached, edge, bound)));
        if (!(score > floor)) continue;
        endings.add({ score, edge, node: from, level, next: ending });
      }
    }
  }

  /** The best bound over parallel pools and one that is known; only what may be the best is bounded closely. */
  private bestOver(
    edges: readonly SolanaPoolEdge[],
    amount: number,
    level: number,
    known: number | undefined,
  ): number | undefined {
    const { direction } = this;
    const isBetter = (bound: number, than: number | undefined): boolean =>
      than === undefined || direction.score(bound) > direction.score(than);
    const open: { edge: SolanaPoolEdge; reached: Reached }[] = [];
    for (const edge of edges) {
      if (!this.allows(edge) || !edge.usable()) continue;
      const reached = this.reached(edge, amount, level);
      if (reached !== null && isBetter(reached.bound, known)) open.push({ edge, reached });
    }
    if (open.length > 1) open.sort((a, b) => direction.score(b.reached.bound) - direction.score(a.reached.bound));
    let best = known;
    for (const { edge, reached } of open) {
      if (!isBetter(reached.bound, best)) break;
      const tight = reached.isTight ? reached.bound : this.tighten(reached, edge, amount);
      if (isBetter(tight, best)) best = tight;
    }
    return best;
  }

  /**
   * Bound after a pool; null when it refuses. The first amount is known exactly: a pool that the amount may exceed is
   * asked at once, so that pools that refuse it are dropped early.
   */
  private reached(edge: SolanaPoolEdge, amount: number, level: number): Reached | null {
    this.reachedAt[level] ??= new Map();
    const known = this.reachedAt[level].get(edge);
    if (known !== undefined) return known;
    const { direction } = this;
    let reached: Reached | null;
    if (level === 0 && direction.nearsReserve(edge, amount)) {
      const exact = direction.exact(edge, this.amount);
      reached = exact === null ? null : { bound: Number(exact), isTight: true };
    } else reached = { bound: direction.bound(edge, amount), isTight: false };
    this.reachedAt[level].set(edge, reached);
    return reached;
  }

  private tighten(reached: Reached, edge: SolanaPoolEdge, amount: number): number {
    reached.bound = this.direction.tight(edge, amount, reached.bound);
    reached.isTight = true;
    return reached.bound;
  }

  private through(ending: Ending | null, amount: number): number {
    const { direction } = this;
    let bound = amount;
    for (let at = ending; at !== null; at = at.next) bound = direction.bound(at.edge, bound);
    return bound;
  }

  /**
   * The exact amount of a whole path; null when a pool refuses, or once its bound is no better than the best known
   * amount.
   */
  private compute(whole: Ending, known: bigint | null): bigint | null {
    const { direction } = this;
    const floor = this.floorOf(known);
    let amount = this.amount;
    for (let at: Ending | null = whole; at !== null; at = at.next) {
      const next = direction.exact(at.edge, amount);
      if (next === null) return null;
      if (at.next !== null && !(direction.score(this.through(at.next, Number(next))) > floor)) return null;
      amount = next;
    }
    return amount;
  }

  /** Tokens that exactly so many hops lead to, without the two ends of the path. */
  private boundsAt(level: number): Map<SolanaNode, number> {
    const known = this.levels[level];
    if (known !== undefined) return known;
    const { direction, start, goal } = this;
    const bounds = new Map<SolanaNode, number>();
    for (const [node, amount] of this.boundsAt(level - 1)) {
      for (const link of node.links) {
        const { to } = link;
        if (to === start || to === goal) continue;
        const best = this.bestOver(direction.edges(link), amount, level - 1, bounds.get(to));
        if (best !== undefined) bounds.set(to, best);
      }
    }
    this.levels[level] = bounds;
    return bounds;
  }

  private floorOf(known: bigint | null): number {
    return known === null ? this.direction.floor : this.direction.score(Number(known));
  }
}

/** The lower pool id where scores are equal. */
function comesFirst(a: Ending, b: Ending): boolean {
  if (a.score !== b.score) return a.score > b.score;
  let [x, y]: (Ending | null)[] = [a, b];
  while (x !== null && y !== null && x!.edge === y!.edge) [x, y] = [x!.next, y!.next];
  return x != null && y != null && x.edge.pool.id < y.edge.pool.id;
}

/** Whether a token is on the ending, which begins after its own first token. */
function passes(ending: Ending | null, node: SolanaNode): boolean {
  for (let at = ending; at !== null; at = at.next) if (at.node === node) return true;
  return false;
}

function edgesOf(ending: Ending): SolanaPoolEdge[] {
  const edges: SolanaPoolEdge[] = [];
  for (let at: Ending | null = ending; at !== null; at = at.next) edges.push(at.edge);
  return edges;
}
