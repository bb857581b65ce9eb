/** Listeners by what they watch. Invariant: a key without listeners is not kept; a listener may end, or begin, others meanwhile. */
export class KeyWatchers<Key> {
  private readonly watchers = new Map<Key, Set<() => void>>();

  /** Answers what ends it. */
  watch(key: Key, listener: () => void): () => void {
    const all = this.watchers.get(key) ?? new Set();
    this.watchers.set(key, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.watchers.get(key) === all) this.watchers.delete(key);
    };
  }

  tell(key: Key): void {
    for (const listener of [...(this.watchers.get(key) ?? [])]) listener();
  }
}
