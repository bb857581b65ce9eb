/** What waits for its turn: the higher score first, the lower key where scores are equal. */
export interface Scored {
  readonly score: number;
  readonly key: string;
}

/** Things in the order of their scores: a binary heap. */
export class BestFirst<T extends Scored> {
  private readonly heap: T[] = [];

  add(item: T): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!comesFirst(item, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = item;
  }

  /** The first, when its score is above the floor. */
  take(floor: number): T | null {
    const { heap } = this;
    const top = heap[0];
    if (top === undefined || !(top.score > floor)) return null;
    const last = heap.pop()!;
    if (heap.length > 0) this.sink(last);
    return top;
  }

  private sink(item: T): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && comesFirst(heap[child + 1]!, heap[child]!)) child++;
      if (!comesFirst(heap[child]!, item)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  }
}

const comesFirst = (a: Scored, b: Scored): boolean => a.score > b.score || (a.score === b.score && a.key < b.key);
