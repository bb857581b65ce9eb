import type { GroupMark, SourceObserver } from '#libs/chain/chains/source-port.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { EventLog, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { sourceDir } from '#libs/pipeline/state/saved/source-dir.js';
import { pause } from '#libs/platform/backoff.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import { blocksTopic, epochsTopic } from '#libs/protocol/topics.js';
import { readServedEpoch } from '../served-epoch.js';
import { KnownSet } from './evm/known-set.js';
import { topicSet } from './evm/topic-set.js';
import { KnownSetKeeper, type PublishedGroups } from './known-set-keeper.js';
import { SolanaKnownSet } from './solana/known-set.js';

export interface SourceStandbyDeps {
  log: EventLog;
  chain: ChainSpec;
  dataDir: string;
  observer: SourceObserver;
  /** Between two looks. */
  everyMs?: number;
}

/**
 * Keeps what a source knows of its chain in step with the log while another process writes it: pools and tokens that were
 * recorded. No node is asked and nothing is written but this folder, so that a takeover reads the last seconds of the log.
 */
export async function followPublished(deps: SourceStandbyDeps, signal: AbortSignal): Promise<void> {
  const { log, chain, everyMs = 10_000 } = deps;
  await log.ensureTopics([epochsTopic]);
  while (!signal.aborted) {
    const epoch = (await readServedEpoch(log, chain.slug))?.epoch;
    if (epoch !== undefined) await bringForward(deps, epoch, signal);
    await pause(everyMs, signal);
  }
}

async function bringForward(
  { log, chain, dataDir, observer }: SourceStandbyDeps,
  epoch: number,
  signal: AbortSignal,
): Promise<void> {
  const topic = blocksTopic(chain.slug, epoch);
  await log.ensureTopics([topic]);
  const last = await log.lastGroup(topic);
  if (last === null) return;
  const published: PublishedGroups = {
    ...{ epoch, seq: last.seq, last: markOf(last) },
    groups: (fromSeq, until) => groupsUpTo(log, chain.slug, epoch, fromSeq, last.seq, until),
  };
  const keeper = keeperOf(chain, await sourceDir(dataDir, epoch), observer);
  try {
    await keeper.loadKnown(published, signal);
    if (!signal.aborted) await keeper.save(published);
  } finally {
    await keeper.close();
  }
}

function keeperOf(chain: ChainSpec, dir: string, observer: SourceObserver) {
  if (chain.family === 'solana') {
    return new KnownSetKeeper<SolanaKnownSet>(dir, chain.slug, observer, (store) => new SolanaKnownSet(store));
  }
  const { sites } = topicSet(chain, new Set());
  return new KnownSetKeeper<KnownSet>(dir, chain.slug, observer, (store) => new KnownSet(sites, store));
}

function markOf({ value }: SequencedRecord): GroupMark {
  const { kind, height, hash } = peekEnvelope(value);
  return { kind, height, hash };
}

async function* groupsUpTo(
  log: EventLog,
  chain: string,
  epoch: number,
  fromSeq: number,
  toSeq: number,
  signal: AbortSignal,
): AsyncGenerator<BlocksGroup, void> {
  for await (const batch of log.readGroups(blocksTopic(chain, epoch), { fromSeq, signal, untilEnd: true })) {
    for (const { seq, value } of batch) {
      if (seq > toSeq) return;
      yield decodeBlocksGroup(value);
    }
  }
}
