import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { type MarketReads, marketReads } from '#libs/pipeline/store/market/reads.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { type Pin, viewAt } from '#libs/serve/reader/chain-view.js';
import { Session } from '#libs/serve/reader/session.js';
import { PlainSink, type RandomMarket } from './market-harness.js';

export interface Written {
  checkpoints: Checkpoint[];
  reads: MarketReads;
}

/** All facts in the tables, with the checkpoints that a sink had on the way, sealed ones included. */
export async function written(
  store: AnalyticsStore,
  { facts }: RandomMarket,
  run: number,
  random: SeededRandom,
  /** Groups of one write. */
  most = 30,
): Promise<Written> {
  const tables = new MarketTables(store, 'eth', run);
  await tables.ensure();
  const sink = new PlainSink(store, tables, 1);
  const checkpoints: Checkpoint[] = [sink.checkpoint];
  for (let from = 0; from < facts.length; ) {
    const count = random.int(1, most);
    checkpoints.push(await sink.write(facts.slice(from, from + count)));
    from += count;
    if (random.chance(0.5)) checkpoints.push(await sink.seal());
  }
  // The newest groups are few here, so that reads meet keys that have their rows further back, and few rows are less than many have.
  const [recentGroups, fewRows] = [random.int(1, 60), random.int(1, 8)];
  return { checkpoints, reads: marketReads(new MarketTables(store, 'eth', run, recentGroups, fewRows)) };
}

/** What a reader at `position` sees that has adopted `base`; null before the first block. */
export function takeView(
  { chain, facts }: RandomMarket,
  base: Checkpoint,
  reads: MarketReads,
  position: number,
  pin?: Pin,
) {
  const { generation, epoch, foldVersion, seq } = base;
  const pointer = { version: 1, generation, epoch, foldVersion, seq };
  const session = new Session({ pointer, checkpoint: base, reads, maxTailBytes: Number.POSITIVE_INFINITY });
  for (const group of facts.slice(base.seq + 1, position + 1)) session.tail.push(group, 1);
  const { hash } = session.tail.stateAt().head;
  if (pin === undefined && !facts.some((group) => group.kind === 'block' && group.hash === hash)) return null;
  return viewAt(chain, session, pin);
}
