import { TidepoolError } from '#libs/core/errors.js';
import type { EventLog } from '#libs/event-log/log.js';
import { retractedRanges } from '#libs/event-log/retracted-ranges.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import type { SnapshotStore } from '#libs/saved-state/snapshot-store.js';

/** One that reads `blocks`, and the lowest seq that it may still have to read. */
export interface BlocksConsumer {
  name: string;
  needsFrom: number;
}

export interface TruncateBlocksDeps {
  log: EventLog;
  chain: string;
  epoch: number;
  foldVersion: number;
  snapshots: SnapshotStore;
  /** All that read the topic besides the fold. */
  consumers: readonly BlocksConsumer[];
}

/**
 * Drops the beginning of `blocks`, never above what a consumer may still have to read (rule 12): the fold starts from its
 * newest snapshot, so that is the highest cut there is. Snapshots that the cut leaves without the groups after them go
 * too: the oldest that stays is the deepest state a retraction can be folded back to.
 */
export async function truncateBlocks(
  deps: TruncateBlocksDeps,
  firstKeptSeq: number,
): Promise<{ firstKeptSeq: number; deepestSnapshot: number | null }> {
  const { log, chain, epoch, snapshots } = deps;
  const topic = blocksTopic(chain, epoch);
  const consumers = [{ name: 'the fold', needsFrom: await foldNeedsFrom(deps) }, ...deps.consumers];
  for (const { name, needsFrom } of consumers) {
    if (firstKeptSeq <= needsFrom) continue;
    throw new TidepoolError(
      'cut_too_high',
      `${topic.name}: a cut below seq ${firstKeptSeq} would take what ${name} needs: it reads from seq ${needsFrom}`,
    );
  }
  await snapshots.dropBelow(firstKeptSeq - 1);
  await log.truncate(topic, firstKeptSeq);
  return { firstKeptSeq, deepestSnapshot: (await snapshots.list()).at(-1) ?? null };
}

/**
 * After its newest snapshot that is whole, that `facts` has reached and whose block survives all that `blocks` holds (the
 * fold may not have come to dropping it yet); the beginning while there is none.
 */
async function foldNeedsFrom({ log, chain, epoch, foldVersion, snapshots }: TruncateBlocksDeps): Promise<number> {
  const [topic, folded] = [blocksTopic(chain, epoch), factsTopic(chain, epoch, foldVersion)];
  if (!(await log.describe()).some(({ name }) => name === folded.name)) return 0;
  const facts = await log.lastGroup(folded);
  const end = ((await log.lastGroup(topic))?.seq ?? -1) + 1;
  const { signal } = new AbortController();
  for (const seq of await snapshots.list()) {
    if (facts === null || seq > facts.seq) continue;
    const gone = await retractedRanges(log, topic, seq + 1, end, signal);
    if (gone.some((range) => seq >= range.fromSeq)) continue;
    if ((await snapshots.load(seq)) !== null) return seq + 1;
  }
  return 0;
}
