import type { Hex } from '#libs/core/ids.js';

/** More are two lists: a key that comes in between moves no more than these. */
const LONGEST_LIST = 512;

/** Where a key is: the list, and its place in that. */
interface Place {
  list: number;
  at: number;
}

/**
 * Keys in order, in short lists one after the other. Those that went stay until they are half of all, so that many can go without
 * many moves.
 */
export class OrderedKeys {
  private lists: Hex[][];
  private size = 1;
  private gone = 0;

  constructor(
    first: Hex,
    private readonly longest = LONGEST_LIST,
  ) {
    this.lists = [[first]];
  }

  add(key: Hex): void {
    const list = this.listOf(key);
    const keys = this.lists[list]!;
    const at = placeOf(keys, key);
    if (keys[at] === key) {
      this.gone--;
      return;
    }
    keys.splice(at, 0, key);
    this.size++;
    if (keys.length > this.longest) this.lists.splice(list + 1, 0, keys.splice(keys.length >> 1));
  }

  /** One of them is not present any more; true when none is. */
  removed(isPresent: (key: Hex) => boolean): boolean {
    if (++this.gone * 2 > this.size) {
      this.lists = this.lists.map((keys) => keys.filter(isPresent)).filter(({ length }) => length > 0);
      this.size = this.lists.reduce((sum, { length }) => sum + length, 0);
      this.gone = 0;
    }
    return this.size === 0;
  }

  /** Hands out a range one by one, those that went included; null: no further one. They do not change before the last was asked for. */
  between(from: Hex, to: Hex, reverse: boolean): () => Hex | null {
    const { lists } = this;
    const [first, end] = [this.placeOf(from), this.placeOf(to)];
    let { list, at } = reverse ? end : first;
    if (!reverse) {
      return () => {
        if (list > end.list || (list === end.list && at >= end.at)) return null;
        const key = lists[list]![at]!;
        if (++at === lists[list]!.length) [list, at] = [list + 1, 0];
        return key;
      };
    }
    return () => {
      if (list < first.list || (list === first.list && at <= first.at)) return null;
      if (at === 0) {
        list--;
        at = lists[list]!.length;
      }
      return lists[list]![--at]!;
    };
  }

  /** Of the first key that is not before this one. */
  private placeOf(key: Hex): Place {
    const list = this.listOf(key);
    const keys = this.lists[list]!;
    const at = placeOf(keys, key);
    return at === keys.length ? { list: list + 1, at: 0 } : { list, at };
  }

  /** The last list that begins at or before the key; the first one, if none does. */
  private listOf(key: Hex): number {
    let low = 0;
    let high = this.lists.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.lists[middle]![0]! <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** Where the key is in an ordered list, or belongs. */
export function placeOf(ordered: readonly Hex[], key: Hex): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
