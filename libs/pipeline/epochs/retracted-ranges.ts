import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** The seqs that a retraction took back: from `fromSeq` up to its own. */
export type RetractedRange = Pick<RetractGroup, 'fromSeq' | 'seq'>;

/** What the retractions between two seqs took back. */
export async function retractedRanges(
  log: EventLog,
  topic: TopicSpec,
  fromSeq: number,
  beforeSeq: number,
  signal: AbortSignal,
): Promise<RetractedRange[]> {
  const ranges: RetractedRange[] = [];
  for await (const batch of log.readGroups(topic, { fromSeq, signal, untilEnd: true })) {
    for (const record of batch) {
      if (record.seq >= beforeSeq) return ranges;
      if (peekEnvelope(record.value).kind !== 'retract') continue;
      const group = decodeBlocksGroup(record.value);
      if (group.kind === 'retract') ranges.push({ fromSeq: group.fromSeq, seq: group.seq });
    }
  }
  return ranges;
}
