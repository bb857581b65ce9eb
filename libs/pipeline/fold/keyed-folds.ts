import type { Hex } from '#libs/core/ids.js';
import type { BlockFacts, FoldSource } from '#libs/pipeline/projections/keyed-fold.js';
import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import { keyedFolds } from '#libs/pipeline/projections/registry.js';
import type { KeyedState } from '#libs/pipeline/state/keyed-state.js';
import type { Space, ValueChange } from '#libs/pipeline/state/space.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';

/** Changes by space: of a block, of a retraction, or of several steps together. */
export interface KeyedChanges {
  of(space: Space<KeyedRow>): ReadonlyMap<Hex, ValueChange<KeyedRow>>;
}

export const keyedSpaces: readonly Space<KeyedRow>[] = keyedFolds.map(({ space }) => space);

/** Lets each keyed projection set what a block means, in the order of the registry; the state's block is open. */
export function foldKeyed(block: BlockFacts, group: BlockGroup, reference: ReferenceSet, state: KeyedState): void {
  const source: FoldSource = { group, reference, values: (space) => state.space(space) };
  for (const projection of keyedFolds) projection.fold(block, source);
}

/** The rows that a group of facts has of them, by member; a member without rows is left out. */
export function keyedFacts(changes: KeyedChanges): Record<string, KeyedRow[]> {
  const members: Record<string, KeyedRow[]> = {};
  for (const { member, space, rows } of keyedFolds) {
    const changed = rows(changes.of(space));
    if (changed.length > 0) members[member] = changed;
  }
  return members;
}
