import type { PoolEdge } from './pool-edge.js';
import type { TokenNode } from './venue-graph.js';

/** An edge that is still to be tried, from the token that it leaves. */
export interface Candidate {
  readonly bound: number;
  readonly edge: PoolEdge;
  readonly node: TokenNode;
}

/**
 * Edges to try, the greatest bound first, the lower pool id where bounds are equal: a binary heap that is ordered when the
 * first is taken. Everything is added before anything is taken.
 */
export class Frontier {
  private readonly heap: Candidate[] = [];
  private ordered = false;

  add(bound: number, edge: PoolEdge, node: TokenNode): void {
    this.heap.push({ bound, edge, node });
  }

  /** The next candidate, when its bound is above the floor. */
  take(floor: number): Candidate | null {
    const { heap } = this;
    if (!this.ordered) {
      for (let at = (heap.length >> 1) - 1; at >= 0; at--) this.sink(at);
      this.ordered = true;
    }
    const top = heap[0];
    if (top === undefined || top.bound <= floor) return null;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.sink(0);
    }
    return top;
  }

  private sink(from: number): void {
    const { heap } = this;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) return;
      if (child + 1 < heap.length && comesFirst(heap[child + 1]!, heap[child]!)) child++;
      if (!comesFirst(heap[child]!, heap[at]!)) return;
      const moved = heap[at]!;
      heap[at] = heap[child]!;
      heap[child] = moved;
      at = child;
    }
  }
}

function comesFirst(a: Candidate, b: Candidate): boolean {
  return a.bound > b.bound || (a.bound === b.bound && a.edge.pool.id < b.edge.pool.id);
}
