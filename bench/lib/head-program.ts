import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createApi } from '#apps/api/src/create-api.js';
import { createProject, createSink } from '#apps/ingest/src/create-ingest.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { HOT_MB } from '#libs/core/hot-memory.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { BlocksGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic, factsTopic } from '#libs/protocol/topics.js';
import { createChainReader } from '#libs/serve/reader/chain-reader.js';
import { hotLimits } from '#libs/serve/reader/hot/hot-states.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { stopWithUs } from './no-orphans.js';

/**
 * Everything from the log to the API, as the all-in-one has it in one process, over its real log and tables. In the place of a node's
 * blocks come those that are appended. A folder that has some already is continued.
 */
export interface HeadProgramOptions {
  dir: string;
  reference: ReferenceSet;
  hotMb?: number;
}

type ApiOptions = Pick<Parameters<typeof createApi>[0], 'accounts'> & {
  live?: Parameters<typeof createApi>[0]['config']['live'];
};

const EPOCH = 1;
const KEEP_GROUPS = 16;
const quiet = { info: () => undefined, warn: () => undefined, error: (fields: object) => console.error(fields) };

export const headTopics = { blocks: blocksTopic(eth.slug, EPOCH), facts: factsTopic(eth.slug, EPOCH, foldVersion) };

export async function openHeadProgram({ dir, reference, hotMb = HOT_MB }: HeadProgramOptions): Promise<HeadProgram> {
  const log = await openEmbeddedLog({ dir: join(dir, 'log') });
  const store = await openChdbStore({ dir: join(dir, 'store') });
  await log.ensureTopics([headTopics.blocks, epochsTopic]);
  const writer = await log.openWriter(`source.${eth.slug}.e${EPOCH}`);
  const last = await log.lastGroup(headTopics.blocks);
  if (last === null) {
    const served = { epoch: EPOCH, foldVersion, genesisHash: reference.genesisHash };
    await writer.append([{ topic: epochsTopic, key: eth.slug, value: Buffer.from(JSON.stringify(served)) }]);
  }
  return new HeadProgram(dir, log, store, writer, reference, hotMb, last?.seq ?? -1);
}

export class HeadProgram {
  readonly chain;
  readonly reader;
  readonly stop: () => Promise<void>;
  private readonly aborted = new AbortController();
  private readonly running: Promise<void>[] = [];
  private readonly ends: (() => Promise<unknown>)[] = [];
  private readonly project;
  private readonly sink;

  constructor(
    dir: string,
    readonly log: EventLog,
    readonly store: AnalyticsStore,
    private readonly writer: LogWriter,
    reference: ReferenceSet,
    hotMb: number,
    public lastSeq: number,
  ) {
    const chain = {
      ...eth,
      wrappedNative: reference.coin,
      stables: reference.stables.map((token) => ({ token, symbol: 'USD', decimals: 18 })),
    };
    this.chain = chain;
    this.reader = createChainReader({
      ...{ chain, log, source: storeSource(store, chain.slug), logger: quiet, keepGroups: KEEP_GROUPS },
      hot: hotLimits(hotMb * 1024 * 1024),
    });
    const look = (): void => this.reader.checkNow();
    this.project = createProject({ log, chain, dataDir: dir, keyedTopics: false });
    this.sink = createSink({ log, store, chain, onCheckpoint: look, onFlip: look });
    this.stop = stopWithUs(async () => {
      for (const end of this.ends) await end();
      this.aborted.abort();
      await Promise.all(this.running);
      await store.close();
      await log.close();
    });
    process.on('SIGTERM', () => void this.stop().then(() => process.exit(0)));
  }

  /** In the order of their seqs, durable when it answers. */
  async append(groups: readonly BlocksGroup[]): Promise<void> {
    const records = groups.map((group) => ({
      ...{ topic: headTopics.blocks, seq: group.seq, value: encodeBlocksGroup(group) },
    }));
    await this.writer.append(records);
    this.lastSeq = groups.at(-1)?.seq ?? this.lastSeq;
  }

  /** From the log to the tables. */
  startIngest(): void {
    for (const stage of [this.project, this.sink]) this.running.push(stage.run(this.aborted.signal));
  }

  /** The last seq in the tables. */
  get written(): number {
    return this.sink.status().seq ?? -1;
  }

  /** Reader and API; answers when all that was appended is in the tables and served. */
  async serve({ accounts, live }: ApiOptions) {
    this.running.push(this.reader.run(this.aborted.signal));
    const api = await createApi({
      config: { bind: '127.0.0.1', port: 0, live },
      readers: new Map([[this.chain.slug, this.reader]]),
      ...{ log: this.log, accounts, cursorKey: randomBytes(32), logger: quiet, version: 'bench' },
    });
    this.ends.push(() => api.close());
    const isServed = (): boolean => this.reader.status().ready && this.reader.status().seq === this.lastSeq;
    while (!isServed() || this.written !== this.lastSeq) await delay(20);
    return api;
  }
}
