import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createApi } from '#apps/api/src/create-api.js';
import { createProject, createSink } from '#apps/ingest/src/create-ingest.js';
import { eth } from '#libs/catalogue/test/chain-specs.js';
import { HOT_MB } from '#libs/core/hot-memory.js';
import { openEmbeddedLog } from '#libs/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/event-log/log.js';
import { foldVersion } from '#libs/fold/fold-version.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic, factsTopic } from '#libs/protocol/topics.js';
import { createChainReader } from '#libs/reader/chain-reader.js';
import { hotLimits } from '#libs/reader/hot/hot-states.js';
import { storeSource } from '#libs/reader/store-source.js';
import { openChdbStore } from '#libs/store/chdb-store.js';
import { oneKey } from '#libs/testing/local-accounts.js';
import { sharedNow } from './fan-out.js';
import type { FromMixServer, ToMixServer } from './head-mix.js';
import { mixTraffic } from './mix-traffic.js';
import { stopWithUs, temporaryFolder } from './no-orphans.js';

/**
 * The server of the mix: everything from the log to the sockets as the all-in-one has it in one process, over its real log and tables.
 * In the place of a node's blocks come blocks that were made before. Notes when the append of each block began, and that of its
 * facts.
 */
const [history, ahead, trades, tokenCount] = process.argv.slice(2).map(Number) as [number, number, number, number];
const KEY = 'bench';
const EPOCH = 1;
const KEEP_GROUPS = 16;
const PER_APPEND = 100;
/** A swap comes with two transfers and, from half of the pools, the reserves. */
const EVENTS_A_TRADE = 3.6;

const blocks = blocksTopic(eth.slug, EPOCH);
const facts = factsTopic(eth.slug, EPOCH, foldVersion);
const traffic = mixTraffic(1, {
  ...{ tokens: tokenCount, blocks: history + ahead, eventsPerBlock: trades * EVENTS_A_TRADE, hot: 0.1, wallets: 1_000 },
  startTime: Date.now() - history * 2_000,
});
const groups = [...traffic.groups];
const records = groups.map((group) => ({ topic: blocks, seq: group.seq, value: encodeBlocksGroup(group) }));
const { reference } = groups[0] as Extract<BlocksGroup, { kind: 'epoch' }>;
const chain = {
  ...eth,
  wrappedNative: reference.coin,
  stables: reference.stables.map((token) => ({ token, symbol: 'USD', decimals: 18 })),
};

const dir = temporaryFolder('tidepool-bench-mix-');
const log = await openEmbeddedLog({ dir: `${dir}/log` });
const store = await openChdbStore({ dir: `${dir}/store` });
const factsAt = new Map<number, number>();
noteFacts(log);
await log.ensureTopics([blocks, epochsTopic]);
const writer = await log.openWriter(`source.${chain.slug}.e${EPOCH}`);
const served = { epoch: EPOCH, foldVersion, genesisHash: reference.genesisHash };
await writer.append([{ topic: epochsTopic, key: chain.slug, value: Buffer.from(JSON.stringify(served)) }]);
for (let from = 0; from <= history; from += PER_APPEND) {
  await writer.append(records.slice(from, Math.min(from + PER_APPEND, history + 1)));
}

const quiet = { info: () => undefined, warn: () => undefined, error: (fields: object) => console.error(fields) };
const reader = createChainReader({
  ...{ chain, log, source: storeSource(store, chain.slug), logger: quiet, keepGroups: KEEP_GROUPS },
  hot: hotLimits(HOT_MB * 1024 * 1024),
});
const look = (): void => reader.checkNow();
const project = createProject({ log, chain, dataDir: dir, keyedTopics: false });
const sink = createSink({ log, store, chain, onCheckpoint: look, onFlip: look });
const aborted = new AbortController();
const running = [project, sink, reader].map((stage) => stage.run(aborted.signal));
const api = await createApi({
  config: { bind: '127.0.0.1', port: 0, live: { maxConnections: 100_000, keepAliveMs: 3_600_000 } },
  readers: new Map([[chain.slug, reader]]),
  ...{ log, accounts: oneKey(KEY).accounts, cursorKey: randomBytes(32), logger: quiet, version: 'bench' },
});
const stop = stopWithUs(async () => {
  await api.close();
  aborted.abort();
  await Promise.all(running);
  await store.close();
  await log.close();
});
process.on('SIGTERM', () => void stop().then(() => process.exit(0)));
const isAt = (seq: number): boolean => reader.status().ready && reader.status().seq === seq;
while (!isAt(history) || sink.status().seq !== history) await delay(20);

const tell = (message: FromMixServer): void => void process.send!(message);
let next = history + 1;

process.on('message', (message: ToMixServer) => {
  if (message.kind === 'go') void go(message.blocks, message.everyMs);
  else {
    globalThis.gc?.();
    const { heapUsed: heap, rss } = process.memoryUsage();
    tell({ kind: 'memory', heap, rss, ...api.liveStatus() });
  }
});
const ids = (of: readonly string[]): string[] => of.map((id) => `0x${id}`);
const subjects = { tokens: ids(traffic.tokens), wallets: ids(traffic.wallets) };
tell({ kind: 'listening', port: Number(new URL(api.url).port), key: KEY, subjects });

async function go(count: number, everyMs: number): Promise<void> {
  const appended: [number, number, number][] = [];
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let n = 0; n < count; n++) {
    await delay(Math.max(0, started + n * everyMs - performance.now()));
    const record = records[next++]!;
    const at = sharedNow();
    await writer.append([record]);
    appended.push([record.seq, at, Number.NaN]);
  }
  await delay(everyMs);
  const { user, system } = process.cpuUsage(cpu);
  for (const entry of appended) entry[2] = factsAt.get(entry[0])!;
  tell({ kind: 'done', appended, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 });
}

/** When the append of each group of facts began. */
function noteFacts(of: EventLog): void {
  const open = of.openWriter.bind(of);
  of.openWriter = async (id) => {
    const made = await open(id);
    const append = made.append.bind(made);
    made.append = (all) => {
      const at = sharedNow();
      for (const entry of all) if (entry.topic.name === facts.name && 'seq' in entry) factsAt.set(entry.seq, at);
      return append(all);
    };
    return made;
  };
}
