import { setImmediate as nextTurn } from 'node:timers/promises';
import { TidepoolError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import { TimeBudget } from '#libs/core/time-budget.js';
import { retractedRanges } from '#libs/pipeline/epochs/retracted-ranges.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { ChainFold, type FoldOptions } from '#libs/pipeline/fold/chain-fold.js';
import { FOLD_CACHE_ENTRIES } from '#libs/pipeline/fold/fold-spaces.js';
import type { RewindPoint } from '#libs/pipeline/state/sealed-store.js';
import type { StateHome } from '#libs/pipeline/state/state-home.js';
import type { BlockGroup, EpochGroup, RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import type { FactsRetract } from '#libs/protocol/facts.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { StateCommits } from './state-commits.js';

/** A retraction below everything that the state and the kept part of the log can give: only a new epoch helps. */
export class RetractionOutOfReachError extends TidepoolError {
  constructor(
    topic: TopicSpec,
    readonly seq: number,
    height: number,
    firstKept: number | null,
  ) {
    super(
      'retraction_out_of_reach',
      `the retraction to height ${height} at seq ${seq} is below the oldest kept state and ${topic.name} is cut at seq ${firstKept}: a new epoch has to begin`,
    );
  }
}

export interface RefoldDeps {
  log: EventLog;
  topic: TopicSpec;
  home: StateHome;
  options: FoldOptions;
  commits: StateCommits;
  steps: Steps;
}

export const seqOf = ({ position }: RewindPoint): number => position?.seq ?? -1;

/** The newest state below a retraction that the kept part of the log continues. States of forks that died are not kept. */
export function pointBelow(
  points: readonly RewindPoint[],
  retraction: RetractGroup,
  cut: number,
): RewindPoint | undefined {
  return points.find((point) => seqOf(point) < retraction.fromSeq && seqOf(point) + 1 >= cut);
}

/**
 * A retraction below what is sealed: the state goes back to the newest commit on the surviving chain below it, and the surviving
 * blocks after that are folded again; no finalization is applied on the way (rule 10). Where no commit reaches so far, the survivors
 * are folded from the beginning into a state next to this one, which then takes its place.
 */
export async function refoldSurvivors(
  fold: ChainFold,
  deps: RefoldDeps,
  retraction: RetractGroup,
  inputHash: string,
  signal: AbortSignal,
): Promise<{ fold: ChainFold; facts: FactsRetract }> {
  const { log, topic, home, options, commits, steps } = deps;
  const first = await log.firstGroup(topic);
  const cut = first?.seq ?? retraction.seq;
  await commits.end();
  const point = pointBelow(fold.state.keptStates(), retraction, cut);
  if (point !== undefined) {
    await fold.rewind(point, retraction);
    await applySurvivors(fold, deps, seqOf(point) + 1, retraction, signal);
    return { fold, facts: fold.finishRefold(retraction, inputHash) };
  }
  if (cut > 0) throw new RetractionOutOfReachError(topic, retraction.seq, retraction.height, first?.seq ?? null);
  const state = await home.openNext({ cacheEntries: FOLD_CACHE_ENTRIES, steps });
  let facts: FactsRetract;
  try {
    const fresh = ChainFold.over(state, options);
    await applySurvivors(fresh, deps, 0, retraction, signal);
    fresh.sealAll();
    await commits.commitNow(state);
    const stating = fresh.retractFrom(fold, retraction, inputHash);
    let step = stating.next();
    for (; !step.done; step = stating.next()) await nextTurn();
    facts = step.value;
  } catch (error) {
    await commits.end().catch(() => undefined);
    await state.close();
    throw error;
  }
  await home.promote(fold.state, state);
  const promoted = await home.open({ cacheEntries: FOLD_CACHE_ENTRIES, steps });
  return { fold: ChainFold.over(promoted, { ...options, seq: retraction.seq }), facts };
}

/**
 * Where they are many they are committed on the way: each of them survives what forced this refold, and the state after it is the
 * one that the fold had when it came to it first.
 */
async function applySurvivors(
  fold: ChainFold,
  { log, topic, commits }: RefoldDeps,
  fromSeq: number,
  retraction: RetractGroup,
  signal: AbortSignal,
): Promise<void> {
  const budget = new TimeBudget();
  for await (const group of survivors(log, topic, fromSeq, retraction, signal)) {
    if (budget.isSpent()) await budget.next();
    fold.applySurvivor(group);
    commits.note(group);
    if (!commits.isDue(fold.state)) continue;
    fold.sealAll();
    await commits.commitNow(fold.state);
  }
}

/** Blocks that a retraction leaves, and the epoch group. */
async function* survivors(
  log: EventLog,
  topic: TopicSpec,
  fromSeq: number,
  retraction: RetractGroup,
  signal: AbortSignal,
): AsyncGenerator<BlockGroup | EpochGroup, void> {
  const dead = await retractedRanges(log, topic, fromSeq, retraction.seq, signal);
  for await (const batch of log.readGroups(topic, { fromSeq, signal, untilEnd: true })) {
    for (const record of batch) {
      if (record.seq >= retraction.fromSeq) return;
      if (dead.some((range) => record.seq >= range.fromSeq && record.seq <= range.seq)) continue;
      const group = decodeBlocksGroup(record.value);
      if (group.kind === 'epoch' || group.kind === 'block') yield group;
    }
  }
  signal.throwIfAborted();
}
