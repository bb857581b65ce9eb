import type { Hex } from '#libs/core/ids.js';

/**
 * A named set of keyed values with their form on disk.
 * A key is the lower-case hex of its bytes, so texts and bytes have one order; a key of several parts joins parts of fixed
 * width. A value is never changed after it was set or read: a change sets a new one.
 */
export interface Space<V> {
  readonly name: string;
  /** Counts changes of the form on disk. A store of another version is not opened: the log gives the state again. */
  readonly version: number;
  encode(value: V): Uint8Array;
  /** `bytes` are valid during the call only. */
  decode(bytes: Buffer): V;
  /**
   * Leading bytes that a range has in common (the token of its pools, the pool of its ticks). A space without is read by key: a
   * range of it is for what walks all of it.
   */
  readonly groupBytes?: number;
  /** Follows from the other spaces: it is not part of the state's hash. */
  readonly derived?: boolean;
  /** Its reader keeps what it made of the values: the state keeps none that the store has. */
  readonly uncached?: boolean;
}

/** The surviving block that a state is the state after. */
export interface BlockPosition {
  readonly seq: number;
  readonly height: number;
  readonly hash: Hex;
}

export interface ValueChange<V> {
  readonly before: V | null;
  readonly after: V | null;
}

/** From the first key on, up to the last one, which is not part of it (null: to the end). */
export interface KeyRange {
  readonly from: Hex;
  readonly to: Hex | null;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** All keys that begin so. */
export function prefixRange(prefix: Hex): KeyRange {
  for (let end = prefix.length; end > 0; end -= 2) {
    const byte = Number.parseInt(prefix.slice(end - 2, end), 16);
    if (byte < 0xff) return { from: prefix, to: prefix.slice(0, end - 2) + (byte + 1).toString(16).padStart(2, '0') };
  }
  return { from: prefix, to: null };
}
