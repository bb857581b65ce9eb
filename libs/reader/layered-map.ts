/**
 * A map over another one that is not changed: an entry of the upper layer hides the one below. A version of a large map
 * costs what differs in it.
 */
export class LayeredMap<Value> {
  private flattened: ReadonlyMap<string, Value> | null = null;

  private constructor(
    private readonly below: ReadonlyMap<string, Value>,
    private readonly own: Map<string, Value>,
  ) {}

  /** With these entries above. */
  static over<Value>(
    below: LayeredMap<Value> | ReadonlyMap<string, Value> | null,
    entries: Iterable<readonly [string, Value]> = [],
  ): LayeredMap<Value> {
    const flat = below instanceof LayeredMap ? below.flat() : (below ?? new Map<string, Value>());
    return new LayeredMap(flat, new Map(entries));
  }

  get(key: string): Value | undefined {
    return this.own.get(key) ?? this.below.get(key);
  }

  set(key: string, value: Value): void {
    this.own.set(key, value);
    this.flattened = null;
  }

  /** Every key once. */
  *entries(): IterableIterator<[string, Value]> {
    for (const entry of this.below) if (!this.own.has(entry[0])) yield entry;
    yield* this.own;
  }

  /** One map of both layers, made once; the lower one itself where the upper one is empty. */
  private flat(): ReadonlyMap<string, Value> {
    if (this.own.size === 0) return this.below;
    this.flattened ??= this.both();
    return this.flattened;
  }

  private both(): ReadonlyMap<string, Value> {
    const all = new Map(this.below);
    for (const [key, value] of this.own) all.set(key, value);
    return all;
  }
}
