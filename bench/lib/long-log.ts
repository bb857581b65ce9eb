import { join } from 'node:path';
import { LiveProject } from '#apps/ingest/src/project/live-project.js';
import { LiveSink } from '#apps/ingest/src/sink/live-sink.js';
import { Publisher } from '#apps/ingest/src/source/publisher.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { noSteps } from '#libs/core/steps.js';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { marketTraffic } from '#libs/devkit/testing/histories/market-traffic.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { Append, EventLog } from '#libs/pipeline/event-log/log.js';
import { foldHomeIn } from '#libs/pipeline/fold/fold-home.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { TailFile } from '#libs/pipeline/state/saved/tail-file.js';
import type { StateHome } from '#libs/pipeline/state/state-home.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { BlocksGroup, FinalizeGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic, factsTopic } from '#libs/protocol/topics.js';

/**
 * A data folder as a long run leaves it behind: `blocks` of steady synthetic traffic in the embedded log, `facts` and
 * state by the real project stage, tables by the real sink. The layout is that of a running instance.
 */
export const CHAIN = eth.slug;
export const EPOCH = 1;
export const BLOCKS = blocksTopic(CHAIN, EPOCH);
export const FACTS = factsTopic(CHAIN, EPOCH, foldVersion);

/** As sources seal: now and then, some blocks behind the head. */
const SEAL_EVERY = 64;
const SEAL_BEHIND = 32;
const PER_APPEND = 100;

export interface LongLogOptions {
  dir: string;
  groups: number;
  tokens: number;
  eventsPerBlock: number;
  commitEveryBlocks?: number;
  onProgress?: (what: string, done: number, total: number) => void;
}

export interface LongLog {
  lastSeq: number;
  /** Events in `blocks`, and rows that the sink wrote of them. */
  events: number;
  rows: number;
}

export const stateOf = (dir: string): StateHome =>
  foldHomeIn(dir, { chain: CHAIN, epoch: EPOCH, foldVersion }, { commitThread });

/** Where the source keeps the place of its newest seal. */
export const tailFileOf = (dir: string): TailFile => new TailFile(join(dir, 'source', CHAIN), CHAIN);

export async function buildLongLog(options: LongLogOptions): Promise<LongLog> {
  const { dir } = options;
  const log = await openEmbeddedLog({ dir: join(dir, 'log') });
  const store = await openChdbStore({ dir: join(dir, 'store') });
  try {
    const { events, lastSeq } = await writeBlocks(log, options);
    await keepTail(log, dir);
    const { commitEveryBlocks } = options;
    const project = new LiveProject({
      log,
      chain: CHAIN,
      foldVersion,
      ...(commitEveryBlocks === undefined ? {} : { commits: { everyBlocks: commitEveryBlocks } }),
      place: () => ({ home: stateOf(dir) }),
    });
    await runUntil(project, () => {
      const { factsSeq } = project.status().detail;
      options.onProgress?.('fold', Number(factsSeq ?? 0), lastSeq);
      return factsSeq === lastSeq;
    });
    let rows = 0;
    const sink = new LiveSink({ log, tables: storeTables(store, CHAIN), chain: CHAIN, minIntervalMs: 0 });
    await runUntil(sink, () => {
      const { seq, detail } = sink.status();
      options.onProgress?.('tables', seq ?? 0, lastSeq);
      rows = Number(detail.rows ?? 0);
      return seq === lastSeq;
    });
    return { lastSeq, events, rows };
  } finally {
    await store.close();
    await log.close();
  }
}

/** The source's writer, opened at the end of the log, keeps the place of the seal. */
async function keepTail(log: EventLog, dir: string): Promise<void> {
  const deps = { log, chain: eth, steps: noSteps, observer: {}, maxAppendBytes: 1 << 20, tailFile: tailFileOf(dir) };
  await (await Publisher.open(deps, EPOCH))?.close();
}

async function writeBlocks(
  log: EventLog,
  { groups, tokens, eventsPerBlock, onProgress }: LongLogOptions,
): Promise<{ lastSeq: number; events: number }> {
  await log.ensureTopics([BLOCKS, epochsTopic]);
  const writer = await log.openWriter(`source.${CHAIN}.e${EPOCH}`);
  let pending: Append[] = [];
  let seq = 0;
  let events = 0;
  const add = async (group: BlocksGroup): Promise<void> => {
    pending.push({ topic: BLOCKS, seq, value: encodeBlocksGroup({ ...group, seq } as BlocksGroup) });
    seq++;
    if (pending.length < PER_APPEND) return;
    await writer.append(pending);
    pending = [];
    onProgress?.('blocks', seq, groups);
  };
  const unsealed: BlocksGroup[] = [];
  for (const group of marketTraffic(1, { tokens, eventsPerBlock, blocks: groups })) {
    if (seq >= groups) break;
    if (group.kind === 'epoch') {
      const served = { epoch: EPOCH, foldVersion, genesisHash: group.reference.genesisHash };
      pending.push({ topic: epochsTopic, key: CHAIN, value: Buffer.from(JSON.stringify(served)) });
    }
    await add(group);
    if (group.kind !== 'block') continue;
    events += group.events.length;
    unsealed.push(group);
    if (unsealed.length < SEAL_EVERY + SEAL_BEHIND || seq >= groups) continue;
    const sealed = unsealed.splice(0, SEAL_EVERY).at(-1)!;
    const { chain, epoch, height, hash, parentHash, time } = sealed;
    const finalize: FinalizeGroup = {
      ...{ kind: 'finalize', chain, epoch, seq, height, hash, parentHash, time, finalizedHeight: height },
    };
    await add(finalize);
  }
  if (pending.length > 0) await writer.append(pending);
  await writer.close();
  return { lastSeq: seq - 1, events };
}

/** Runs a stage until it has reached what it should; its own failure comes out. */
async function runUntil(stage: { run(signal: AbortSignal): Promise<void> }, reached: () => boolean): Promise<void> {
  const stop = new AbortController();
  const watch = setInterval(() => {
    if (reached()) stop.abort();
  }, 5);
  try {
    await stage.run(stop.signal);
  } finally {
    clearInterval(watch);
  }
}
