import { TidepoolError } from '#libs/core/errors.js';
import type { EventLog } from '#libs/event-log/log.js';
import { type RetractedRange, retractedRanges } from '#libs/event-log/retracted-ranges.js';
import { ChainFold } from '#libs/fold/chain-fold.js';
import type { RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { SnapshotStore } from '#libs/saved-state/snapshot-store.js';

/** A retraction below everything that snapshots and the kept part of the log can give: only a new epoch helps. */
export class RetractionOutOfReachError extends TidepoolError {
  constructor(
    topic: TopicSpec,
    readonly seq: number,
    height: number,
    firstKept: number | null,
  ) {
    super(
      'retraction_out_of_reach',
      `the retraction to height ${height} at seq ${seq} is below the oldest snapshot and ${topic.name} is cut at seq ${firstKept}: a new epoch has to begin`,
    );
  }
}

/**
 * The state at the ancestor of a retraction that is deeper than the fold's undo: the newest snapshot on the surviving
 * chain below it, and the surviving blocks after that. No finalization is applied and no snapshot written on the way
 * (rule 10).
 */
export async function refoldSurvivors(
  log: EventLog,
  topic: TopicSpec,
  snapshots: SnapshotStore,
  retraction: RetractGroup,
  signal: AbortSignal,
): Promise<ChainFold> {
  const first = await log.firstGroup(topic);
  const cut = first?.seq ?? retraction.seq;
  for (const seq of await snapshots.list()) {
    if (seq >= retraction.fromSeq) continue;
    if (seq + 1 < cut) break; // what followed it is cut off
    const dead = await retractedRanges(log, topic, seq + 1, retraction.seq, signal);
    if (dead.some((range) => seq >= range.fromSeq && seq < range.seq)) continue;
    const state = await snapshots.load(seq);
    if (state === null) continue;
    return refold(ChainFold.restore(state), log, topic, seq + 1, retraction, dead, signal);
  }
  if (cut > 0) {
    throw new RetractionOutOfReachError(topic, retraction.seq, retraction.height, first?.seq ?? null);
  }
  const dead = await retractedRanges(log, topic, 0, retraction.seq, signal);
  return refold(ChainFold.empty(), log, topic, 0, retraction, dead, signal);
}

async function refold(
  fold: ChainFold,
  log: EventLog,
  topic: TopicSpec,
  fromSeq: number,
  retraction: RetractGroup,
  dead: RetractedRange[],
  signal: AbortSignal,
): Promise<ChainFold> {
  for await (const batch of log.readGroups(topic, { fromSeq, signal, untilEnd: true })) {
    for (const record of batch) {
      if (record.seq >= retraction.fromSeq) return fold;
      if (dead.some((range) => record.seq >= range.fromSeq && record.seq <= range.seq)) continue;
      const group = decodeBlocksGroup(record.value);
      if (group.kind === 'epoch' || group.kind === 'block') fold.applySurvivor(group);
    }
  }
  signal.throwIfAborted();
  return fold;
}
