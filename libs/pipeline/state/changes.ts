import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { MutableChange } from './keyed-space.js';
import type { Space, ValueChange } from './space.js';

/** Of a block: by space. */
export type SpaceChanges = (Map<Hex, MutableChange<unknown>> | null)[];

/** Of a retraction or a rewind: by space, each key's newest value before it and its value now. */
export type SpaceReturns = (Map<Hex, { before: unknown; after: unknown }> | null)[];

const NOTHING: ReadonlyMap<Hex, never> = new Map<Hex, never>();

/** Keys that a block, a retraction or a rewind touched, by space. */
export class Changes {
  constructor(
    private readonly spaces: readonly Space<unknown>[],
    private readonly changes: SpaceChanges | SpaceReturns,
  ) {}

  of<V>(space: Space<V>): ReadonlyMap<Hex, ValueChange<V>> {
    const index = this.spaces.indexOf(space as Space<unknown>);
    if (index < 0) throw new TidepoolError('unknown_space', `the state has no space ${space.name}`);
    return (this.changes[index] ?? NOTHING) as ReadonlyMap<Hex, ValueChange<V>>;
  }

  get size(): number {
    return this.changes.reduce((sum, changes) => sum + (changes?.size ?? 0), 0);
  }
}
