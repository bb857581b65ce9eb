import { ChainFold, type FoldOptions } from '#libs/pipeline/fold/chain-fold.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { BlocksGroup, RetractGroup } from '#libs/protocol/blocks.js';
import type { FactsGroup, FactsRetract } from '#libs/protocol/facts.js';

/** Runs groups through folds the way a project stage does, without a log. */
export interface FoldRun {
  fold: ChainFold;
  facts: FactsGroup[];
  refolds: number;
}

/** A replacement of the hash of the encoded group: any function of the group does. */
export const inputHash = (group: BlocksGroup): string => group.seq.toString(16).padStart(32, '0');

export function runFold(
  groups: readonly BlocksGroup[],
  onGroup: (run: FoldRun, group: BlocksGroup, facts: FactsGroup) => void = () => undefined,
  options: FoldOptions = {},
): FoldRun {
  const run: FoldRun = { fold: ChainFold.empty(options), facts: [], refolds: 0 };
  for (const group of groups) {
    let facts: FactsGroup;
    if (group.kind === 'retract' && !run.fold.canRetract(group)) {
      const refolded = refoldSurvivors(groups, group, options);
      facts = retractFrom(refolded, run.fold, group, inputHash(group));
      run.fold = refolded;
      run.refolds++;
    } else {
      facts = run.fold.apply(group, inputHash(group));
    }
    run.facts.push(facts);
    onGroup(run, group, facts);
  }
  return run;
}

/** A new fold of nothing but the blocks that survive the retraction. */
export function refoldSurvivors(
  groups: readonly BlocksGroup[],
  retraction: RetractGroup,
  options: FoldOptions = {},
): ChainFold {
  const fold = ChainFold.empty(options);
  applySurvivors(fold, groups, retraction);
  return fold;
}

/** What survives the retraction, from the position of the fold. */
export function applySurvivors(fold: ChainFold, groups: readonly BlocksGroup[], retraction: RetractGroup): void {
  const before = groups.slice(0, retraction.seq);
  const dead = [...before, retraction].filter((group) => group.kind === 'retract');
  const isDead = (seq: number) => dead.some((group) => seq >= group.fromSeq && seq < group.seq);
  for (const group of before.slice((fold.position?.seq ?? -1) + 1)) {
    if ((group.kind === 'block' || group.kind === 'epoch') && !isDead(group.seq)) fold.applySurvivor(group);
  }
}

/** The facts of a retraction by comparing two folds, in one go. */
export function retractFrom(refolded: ChainFold, before: ChainFold, group: RetractGroup, hash: string): FactsRetract {
  const stating = refolded.retractFrom(before, group, hash);
  let step = stating.next();
  while (!step.done) step = stating.next();
  return step.value;
}

export function factsBytes(facts: FactsGroup): string {
  return Buffer.from(encodeFactsGroup(facts)).toString('base64');
}
