import { forEachYielding } from '#libs/core/for-each-yielding.js';

/**
 * A map over two others that are not changed: an entry hides those below it. A version of a large map costs what is set in it.
 * Maps are made in turns, as the largest have an entry for every token or pool of a chain.
 */
export class LayeredMap<Value> {
  private readonly own = new Map<string, Value>();
  private flattened: Promise<ReadonlyMap<string, Value>> | null = null;

  private constructor(
    private readonly below: ReadonlyMap<string, Value>,
    private readonly above: ReadonlyMap<string, Value>,
  ) {}

  /** With the entries of one map above those of another. */
  static over<Value>(
    below: ReadonlyMap<string, Value>,
    above: ReadonlyMap<string, Value> = new Map(),
  ): LayeredMap<Value> {
    return new LayeredMap(below, above);
  }

  get(key: string): Value | undefined {
    return this.own.get(key) ?? this.above.get(key) ?? this.below.get(key);
  }

  set(key: string, value: Value): void {
    this.own.set(key, value);
    this.flattened = null;
  }

  /** Every key once. */
  *entries(): IterableIterator<[string, Value]> {
    for (const entry of this.below) if (!this.above.has(entry[0]) && !this.own.has(entry[0])) yield entry;
    for (const entry of this.above) if (!this.own.has(entry[0])) yield entry;
    yield* this.own;
  }

  /** All in one map, which is made once; the lowest one itself where nothing is above it. */
  flat(): Promise<ReadonlyMap<string, Value>> {
    this.flattened ??= merged(this.below, this.above).then((both) => merged(both, this.own));
    return this.flattened;
  }
}

/** The entries of one map over those of another. Neither is changed, and either may be what is given. */
export async function merged<Value>(
  below: ReadonlyMap<string, Value>,
  above: ReadonlyMap<string, Value>,
): Promise<ReadonlyMap<string, Value>> {
  if (above.size === 0) return below;
  if (below.size === 0) return above;
  const all = new Map<string, Value>();
  const add = ([key, value]: [string, Value]): void => {
    all.set(key, value);
  };
  await forEachYielding(below, add);
  await forEachYielding(above, add);
  return all;
}
