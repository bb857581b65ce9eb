import { BestFirst, type Scored } from './best-first.js';
import type { SolanaPoolEdge } from './solana-edge.js';
import type { SolanaNode, Way } from './way.js';

/** Edges in the order in which they are walked, and the amount at the end of the walk. */
export interface FoundPath {
  readonly edges: readonly SolanaPoolEdge[];
  readonly amount: bigint;
}

/** The last hops of a walk, from `node` to the goal; `level` hops lead to `node`. */
interface Ending extends Scored {
  readonly edge: SolanaPoolEdge;
  readonly node: SolanaNode;
  readonly level: number;
  readonly next: Ending | null;
}

/**
 * The best walk between two tokens without a token twice, exactly. Invariant: no walk of the asked number of hops gives a
 * better exact amount.
 *
 * Bounds go from the start: for each token, no amount after so many hops is better than its bound. Walks are then grown from
 * the goal back to the start, the most promising ending first, and those that reach the start are computed exactly, until
 * no bound is better than the best amount known. Every walk is computed for itself: on Solana the output of a pool may fall
 * by some units when the input grows, so that the best amount at a token on the way is not always the start of the best walk.
 */
export class PathSearch {
  /** Bounds by token and number of hops; the start itself at none. */
  private readonly levels: Map<SolanaNode, number>[];

  constructor(
    private readonly way: Way,
    private readonly start: SolanaNode,
    private readonly goal: SolanaNode,
    private readonly amount: bigint,
    private readonly allows: (edge: SolanaPoolEdge) => boolean,
  ) {
    this.levels = [new Map([[start, Number(amount)]])];
  }

  /** The best walk of exactly so many hops that is better than `floor`. */
  find(hops: number, floor: bigint | null): FoundPath | null {
    const { way, goal } = this;
    const endings = new BestFirst<Ending>();
    this.grow(goal, null, hops - 1, endings, this.floorOf(floor));
    let best: FoundPath | null = null;
    let known = floor;
    for (;;) {
      const ending = endings.take(this.floorOf(known));
      if (ending === null) return best;
      if (ending.level > 0) {
        this.grow(ending.node, ending, ending.level - 1, endings, this.floorOf(known));
        continue;
      }
      const amount = this.compute(ending, known);
      if (amount === null || (known !== null && !way.isBetter(amount, known))) continue;
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
    const { way } = this;
    const bounds = this.boundsAt(level);
    for (const link of node.links) {
      const from = link.to;
      const bound = bounds.get(from);
      if (bound === undefined || passes(ending, from)) continue;
      for (const edge of way.edges(link.back)) {
        if (!this.allows(edge) || !edge.usable()) continue;
        const reached = this.reached(edge, bound, level);
        if (reached === null) continue;
        const score = way.score(this.through(ending, reached));
        if (!(score > floor)) continue;
        const key = ending === null ? edge.pool.id : `${edge.pool.id}${ending.key}`;
        endings.add({ score, key, edge, node: from, level, next: ending });
      }
    }
  }

  /**
   * Bound after a pool; null when it refuses. The first amount is known exactly: a pool that it strains is asked at once,
   * so that those that refuse it lead nowhere.
   */
  private reached(edge: SolanaPoolEdge, bound: number, level: number): number | null {
    const { way, amount } = this;
    if (level > 0 || !way.strains(edge, bound)) return way.bound(edge, bound);
    const exact = way.exact(edge, amount);
    return exact === null ? null : Number(exact);
  }

  private through(ending: Ending | null, amount: number): number {
    const { way } = this;
    let bound = amount;
    for (let at = ending; at !== null; at = at.next) bound = way.bound(at.edge, bound);
    return bound;
  }

  /** The exact amount of a whole walk; null when a pool refuses, or once its bound is no better than what is known. */
  private compute(whole: Ending, known: bigint | null): bigint | null {
    const { way } = this;
    const floor = this.floorOf(known);
    let amount = this.amount;
    for (let at: Ending | null = whole; at !== null; at = at.next) {
      const next = way.exact(at.edge, amount);
      if (next === null) return null;
      if (at.next !== null && !(way.score(this.through(at.next, Number(next))) > floor)) return null;
      amount = next;
    }
    return amount;
  }

  /** Tokens that exactly so many hops lead to, neither end of the walk among those on the way. */
  private boundsAt(level: number): Map<SolanaNode, number> {
    const known = this.levels[level];
    if (known !== undefined) return known;
    const { way, start, goal } = this;
    const bounds = new Map<SolanaNode, number>();
    for (const [node, amount] of this.boundsAt(level - 1)) {
      for (const link of node.links) {
        const { to } = link;
        if (to === start || to === goal) continue;
        let best = bounds.get(to);
        for (const edge of way.edges(link)) {
          if (!this.allows(edge) || !edge.usable()) continue;
          const bound = this.reached(edge, amount, level - 1);
          if (bound === null) continue;
          if (best === undefined || way.score(bound) > way.score(best)) best = bound;
        }
        if (best !== undefined) bounds.set(to, best);
      }
    }
    this.levels[level] = bounds;
    return bounds;
  }

  private floorOf(known: bigint | null): number {
    return known === null ? this.way.floor : this.way.score(Number(known));
  }
}

/** Whether a token lies on the ending, which begins after its own first token. */
function passes(ending: Ending | null, node: SolanaNode): boolean {
  for (let at = ending; at !== null; at = at.next) if (at.node === node) return true;
  return false;
}

function edgesOf(ending: Ending): SolanaPoolEdge[] {
  const edges: SolanaPoolEdge[] = [];
  for (let at: Ending | null = ending; at !== null; at = at.next) edges.push(at.edge);
  return edges;
}
