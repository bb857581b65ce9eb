import type { Hex } from '#libs/core/ids.js';
import type { BlockPosition, Space } from '../space.js';

/** All values by space and key, written out. */
export type Values = Map<string, Map<Hex, unknown>>;

interface Version {
  position: BlockPosition | null;
  values: Values;
}

/** The simplest keyed state: a full copy of everything after every block. */
export class NaiveState {
  /** From the empty state on; the last one is the newest. */
  versions: Version[] = [{ position: null, values: new Map() }];
  sealed = 0;
  committed = 0;
  private lastSeq = -1;

  get values(): Values {
    return this.versions.at(-1)!.values;
  }

  get head(): BlockPosition | null {
    return this.versions.at(-1)!.position;
  }

  get nextPosition(): BlockPosition {
    const seq = ++this.lastSeq;
    const height = (this.head?.height ?? 99) + 1 + (seq % 3 === 0 ? 1 : 0);
    return { seq, height, hash: seq.toString(16).padStart(64, '0') };
  }

  block(position: BlockPosition, sets: { space: Space<never>; key: Hex; value: unknown }[]): void {
    const values: Values = new Map([...this.values].map(([name, known]) => [name, new Map(known)]));
    for (const { space, key, value } of sets) {
      const known = values.get(space.name) ?? new Map<Hex, unknown>();
      values.set(space.name, known);
      if (value === null) known.delete(key);
      else known.set(key, value);
    }
    this.versions.push({ position, values });
  }

  /** A retraction takes a seq of its own. */
  retractTo(version: number): void {
    this.versions.length = version + 1;
    this.lastSeq++;
  }

  /** What a start finds: the committed state, and no seq after it used. */
  restart(): void {
    this.versions.length = this.committed + 1;
    this.sealed = this.committed;
    this.lastSeq = this.head?.seq ?? -1;
  }

  rewindTo(version: number): void {
    this.versions.length = version + 1;
    this.sealed = version;
    this.committed = version;
  }
}

/** Keys whose value differs, as `space/key` → [before, after]. */
export function differences(before: Values, after: Values): Map<string, [unknown, unknown]> {
  const found = new Map<string, [unknown, unknown]>();
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    for (const key of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
      const pair: [unknown, unknown] = [old?.get(key) ?? null, now?.get(key) ?? null];
      if (!same(pair[0], pair[1])) found.set(`${name}/${key}`, pair);
    }
  }
  return found;
}

const same = (a: unknown, b: unknown): boolean => text(a) === text(b);
export const text = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
