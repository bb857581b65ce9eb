import { TidepoolError } from '#libs/core/errors.js';
import { retractedRanges } from '#libs/pipeline/epochs/retracted-ranges.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { StateHome } from '#libs/pipeline/state/state-home.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';

/** One that reads `blocks`, and the lowest seq that it may still have to read. */
interface BlocksConsumer {
  name: string;
  needsFrom: number;
}

export interface TruncateBlocksDeps {
  log: EventLog;
  chain: string;
  epoch: number;
  foldVersion: number;
  home: StateHome;
  /** All that read the topic besides the fold. */
  consumers: readonly BlocksConsumer[];
}

/**
 * Drops the beginning of `blocks`, never above what a consumer may still have to read (rule 12): the fold continues
 * from its committed state, so that is the highest cut there is. Of the states before it that the fold can go back to, those that
 * the cut leaves without the groups after them are of no use any more: the oldest other one is as deep as a retraction can be
 * folded.
 */
export async function truncateBlocks(
  deps: TruncateBlocksDeps,
  firstKeptSeq: number,
): Promise<{ firstKeptSeq: number; deepestState: number | null }> {
  const { log, chain, epoch, home } = deps;
  const topic = blocksTopic(chain, epoch);
  const consumers = [{ name: 'the fold', needsFrom: await foldNeedsFrom(deps) }, ...deps.consumers];
  for (const { name, needsFrom } of consumers) {
    if (firstKeptSeq <= needsFrom) continue;
    throw new TidepoolError(
      'cut_too_high',
      `${topic.name}: a cut below seq ${firstKeptSeq} would take what ${name} needs: it reads from seq ${needsFrom}`,
    );
  }
  await log.truncate(topic, firstKeptSeq);
  const kept = (await keptSeqs(home)).filter((seq) => seq >= firstKeptSeq - 1);
  return { firstKeptSeq, deepestState: kept.at(-1) ?? null };
}

/** Of the blocks that the committed state and those before it are after, newest first. */
async function keptSeqs(home: StateHome): Promise<number[]> {
  const { committed, points } = await home.kept();
  return [committed, ...points.map(({ position }) => position)].flatMap((position) => position?.seq ?? []);
}

/**
 * After the newest kept state that `facts` has reached and whose block survives all that `blocks` holds (the fold may not
 * have come to going back yet); the beginning while there is none.
 */
async function foldNeedsFrom({ log, chain, epoch, foldVersion, home }: TruncateBlocksDeps): Promise<number> {
  const [topic, folded] = [blocksTopic(chain, epoch), factsTopic(chain, epoch, foldVersion)];
  if (!(await log.describe()).some(({ name }) => name === folded.name)) return 0;
  const facts = await log.lastGroup(folded);
  const end = ((await log.lastGroup(topic))?.seq ?? -1) + 1;
  const { signal } = new AbortController();
  for (const seq of await keptSeqs(home)) {
    if (facts === null || seq > facts.seq) continue;
    const gone = await retractedRanges(log, topic, seq + 1, end, signal);
    if (!gone.some((range) => seq >= range.fromSeq)) return seq + 1;
  }
  return 0;
}
