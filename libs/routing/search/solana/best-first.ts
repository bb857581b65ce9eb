/** Items in an order that the caller defines: a binary heap. */
export class BestFirst<T> {
  private readonly heap: T[] = [];

  constructor(private readonly comesFirst: (a: T, b: T) => boolean) {}

  add(item: T): void {
    const { heap, comesFirst } = this;
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

  take(): T | null {
    const { heap } = this;
    const top = heap[0];
    if (top === undefined) return null;
    const last = heap.pop()!;
    if (heap.length > 0) this.sink(last);
    return top;
  }

  private sink(item: T): void {
    const { heap, comesFirst } = this;
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
