import { BestFirst } from './best-first.js';
import type { SearchDirection, SolanaTokenNode } from './search-direction.js';
import type { SolanaPoolEdge } from './solana-edge.js';
import type { UsableEdges } from './usable-edges.js';

/** Edges in the order of the search, and the amount at the end of the path. */
export interface FoundPath {
  readonly edges: readonly SolanaPoolEdge[];
  readonly amount: bigint;
}

/** The last hops of a path, from `node` to the goal; `level` hops lead to `node`. */
interface Ending {
  readonly score: number;
  readonly edge: SolanaPoolEdge;
  readonly node: SolanaTokenNode;
  readonly level: number;
  readonly next: Ending | null;
  /** Whether the score comes from the close bound of `node`. */
  readonly isClose: boolean;
}

/** One pool between a token and the one before it, with its bound from the loose one there. */
interface Inflow {
  readonly from: SolanaTokenNode;
  readonly edge: SolanaPoolEdge;
  readonly bound: number;
}

/** Endings that one search looks at, of all numbers of hops. */
export const MOST_LOOKS = 2_000;

/** The exact amount after the first hops of a path, and what follows from it. */
interface Arrived {
  readonly amount: bigint;
  readonly asNumber: number;
  onwards: Map<SolanaPoolEdge, Arrived | null> | null;
}

type Bounds = Map<SolanaTokenNode, number | null>;

/**
 * The best path between two tokens without a token twice. Invariant: the amount is exact, and no path of the asked number of
 * hops gives a better one, unless the search has looked at `MOST_LOOKS` endings before it knew that: then it is the best of
 * those that were computed, so that an amount that nearly no pool takes does not hold up the others' quotes.
 *
 * Bounds go from the start: for each token, no amount after so many hops is better than its bound. They are computed for
 * the tokens that are asked about, loosely from what the pools remember, and closely, by exact swaps, once a path through
 * the token comes first. Paths are grown from the goal back to the start, the most promising ending first, and those that
 * reach the start are computed exactly, until no bound is better than the best amount known. Every path is computed on its
 * own: on Solana the output of a pool may fall by some units when the input grows, so that the best amount at a token in
 * between is not always the start of the best path.
 */
export class PathSearch {
  /** By number of hops; null for a token that no path comes to. */
  private readonly loose: Bounds[] = [];
  private readonly close: Bounds[] = [];
  private readonly inflows: Map<SolanaTokenNode, Inflow[]>[] = [];
  private readonly first: number;
  private readonly departed: Arrived;
  private looks = MOST_LOOKS;

  constructor(
    private readonly direction: SearchDirection,
    private readonly start: SolanaTokenNode,
    private readonly goal: SolanaTokenNode,
    private readonly amount: bigint,
    /** Pools of a link that the search may use. */
    private readonly usable: UsableEdges,
  ) {
    this.first = Number(amount);
    this.departed = { amount, asNumber: this.first, onwards: null };
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
      if (ending === null || this.looks === 0 || !(ending.score > this.floorOf(known))) return best;
      this.looks--;
      if (ending.level > 0) {
        if (ending.isClose) this.grow(ending.node, ending, ending.level - 1, endings, this.floorOf(known));
        else this.approach(ending, endings, this.floorOf(known));
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
    node: SolanaTokenNode,
    ending: Ending | null,
    level: number,
    endings: BestFirst<Ending>,
    floor: number,
  ): void {
    const { direction } = this;
    for (const { from, edge, bound } of this.inflowsOf(node, level + 1)) {
      if (passes(ending, from)) continue;
      const score = direction.score(this.through(ending, bound));
      if (score > floor) endings.add({ score, edge, node: from, level, next: ending, isClose: level === 0 });
    }
  }

  /** Puts an ending back with the score of the close bound. */
  private approach(ending: Ending, endings: BestFirst<Ending>, floor: number): void {
    const { direction } = this;
    const { edge, node, level, next } = ending;
    const amount = this.closeAt(node, level);
    if (amount === null) return;
    const score = direction.score(this.through(next, direction.tight(edge, amount, direction.bound(edge, amount))));
    if (score > floor) endings.add({ score: Math.min(score, ending.score), edge, node, level, next, isClose: true });
  }

  /** Pools that lead to a token as the last of so many hops. */
  private inflowsOf(node: SolanaTokenNode, level: number): readonly Inflow[] {
    this.inflows[level] ??= new Map();
    const known = this.inflows[level].get(node);
    if (known !== undefined) return known;
    const found: Inflow[] = [];
    for (const { to: from, back } of node.links) {
      const amount = this.looseAt(from, level - 1);
      if (amount === null) continue;
      for (const edge of this.usable(this.direction.forward ? back : back.back)) {
        const bound = this.reached(edge, amount, level - 1);
        if (bound !== null) found.push({ from, edge, bound });
      }
    }
    this.inflows[level].set(node, found);
    return found;
  }

  /**
   * Bound after a pool; null when it refuses. The first amount is known exactly: a pool that the amount may exceed is
   * asked at once, so that pools that refuse it are dropped early.
   */
  private reached(edge: SolanaPoolEdge, amount: number, level: number): number | null {
    const { direction } = this;
    if (level > 0 || !direction.nearsReserve(edge, amount)) return direction.bound(edge, amount);
    const exact = direction.exact(edge, this.amount);
    return exact === null ? null : Number(exact);
  }

  /** No amount at a token after exactly so many hops is better, nor is the close bound. */
  private looseAt(node: SolanaTokenNode, level: number): number | null {
    if (level === 0) return node === this.start ? this.first : null;
    if (node === this.start || node === this.goal) return null;
    this.loose[level] ??= new Map();
    let best = this.loose[level].get(node);
    if (best !== undefined) return best;
    best = null;
    for (const { bound } of this.inflowsOf(node, level)) best = this.better(best, bound);
    this.loose[level].set(node, best);
    return best;
  }

  private closeAt(node: SolanaTokenNode, level: number): number | null {
    if (level === 0) return this.looseAt(node, 0);
    this.close[level] ??= new Map();
    let best = this.close[level].get(node);
    if (best !== undefined) return best;
    best = null;
    const { direction } = this;
    const inflows = [...this.inflowsOf(node, level)].sort(
      (a, b) => direction.score(b.bound) - direction.score(a.bound),
    );
    for (const { from, edge, bound } of inflows) {
      if (best !== null && !(direction.score(bound) > direction.score(best))) break;
      const amount = this.closeAt(from, level - 1);
      if (amount === null) continue;
      best = this.better(best, direction.tight(edge, amount, direction.bound(edge, amount)));
    }
    this.close[level].set(node, best);
    return best;
  }

  private better(a: number | null, b: number): number {
    const { direction } = this;
    return a === null || direction.score(b) > direction.score(a) ? b : a;
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
    let arrived = this.departed;
    for (let at: Ending | null = whole; at !== null; at = at.next) {
      const next = this.onwards(arrived, at.edge);
      if (next === null) return null;
      if (at.next !== null && !(direction.score(this.through(at.next, next.asNumber)) > floor)) return null;
      arrived = next;
    }
    return arrived.amount;
  }

  /** Each beginning of a path is computed once. */
  private onwards(arrived: Arrived, edge: SolanaPoolEdge): Arrived | null {
    arrived.onwards ??= new Map();
    let next = arrived.onwards.get(edge);
    if (next === undefined) {
      const amount = this.direction.exact(edge, arrived.amount);
      next = amount === null ? null : { amount, asNumber: Number(amount), onwards: null };
      arrived.onwards.set(edge, next);
    }
    return next;
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
function passes(ending: Ending | null, node: SolanaTokenNode): boolean {
  for (let at = ending; at !== null; at = at.next) if (at.node === node) return true;
  return false;
}

function edgesOf(ending: Ending): SolanaPoolEdge[] {
  const edges: SolanaPoolEdge[] = [];
  for (let at: Ending | null = ending; at !== null; at = at.next) edges.push(at.edge);
  return edges;
}
