import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { LiveMarket, SteppedSink } from '#libs/devkit/testing/market/live-market.js';
import { temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import { PictureTable } from '#libs/pipeline/store/pictures/picture-table.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { type ChainReader, createChainReader } from '#libs/serve/reader/chain-reader.js';
import type { HotLimits } from '#libs/serve/reader/hot/hot-states.js';
import { MetadataBook } from '#libs/serve/reader/metadata-book.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import type { ApiParts } from '../src/access/api-parts.js';
import { createApi, type RunningApi } from '../src/create-api.js';
import { PictureFiles } from '../src/media/picture-files.js';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field
  body: any;
}

type Document = Record<string, Record<string, unknown>>;

/** The api over a real log, real tables and real HTTP, fed with the facts of a random market. */
export class ApiHarness {
  problems: object[] = [];
  /** What cursors are signed with: the first one signs, all are accepted. */
  secrets: Uint8Array[] = [randomBytes(32)];
  private document: Document | null = null;

  private constructor(
    readonly api: RunningApi,
    readonly reader: ChainReader,
    readonly live: LiveMarket,
    readonly sink: SteppedSink,
    readonly key: string,
    readonly pictures: PictureTable,
    private readonly store: AnalyticsStore,
    /** Ms that have passed for the copies of answers, and whether the tables answer those who read. */
    readonly faults: { copiesNow: number; tablesAway: boolean },
    private readonly dispose: () => Promise<void>,
  ) {}

  static async start(
    market: { chain: ChainSpec; facts: FactsGroup[] },
    config: Partial<ApiParts['config']> = {},
    publicUrl: string | null = null,
    /** A log that the caller closes. */
    log: EventLog | null = null,
    /** What the reader may hold of the tables. */
    hot?: HotLimits,
  ): Promise<ApiHarness> {
    const problems: object[] = [];
    const keep = (fields: object) => void problems.push(fields);
    const logger = { info: () => undefined, warn: () => undefined, error: keep };
    const { store, dispose } = await temporaryStore();
    const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-api-'));
    const live = await LiveMarket.open(market.facts, 1, log);
    const sink = await SteppedSink.create(store, market.facts, 1);
    const book = new MetadataBook({ log: live.log, publicUrl, pollMs: 20 });
    const found = new SafetyBook({ log: live.log, records: true, pollMs: 20 }, 'test');
    const faults = { copiesNow: 0, tablesAway: false };
    const away = storeThatGoesAway(store, () => faults.tablesAway);
    const { reader, stop } = startReader(market.chain, live, away, { book, found, hot });
    const pictures = new PictureTable(store);
    await pictures.ensure();
    const files = new PictureFiles(pictures, { dir: join(dataDir, 'pictures') });
    const accounts = await accountsWithoutLimits(dataDir);
    const api = await createApi({
      config: { bind: '127.0.0.1', port: 0, ...config },
      readers: new Map([[market.chain.slug, reader]]),
      log: live.log,
      accounts,
      cursorKey: { signing: () => harness.secrets[0]!, accepted: () => harness.secrets },
      pictures: { knows: (name) => book.knowsPicture(name), read: (name) => files.read(name) },
      publicUrl,
      logger,
      copiesNow: () => faults.copiesNow,
      version: '1.2.3',
      routerUrl: () => 'http://router.example',
    });
    const harness: ApiHarness = new ApiHarness(
      api,
      reader,
      live,
      sink,
      accounts.demo.key,
      pictures,
      store,
      faults,
      async () => {
        await api.close();
        await stop();
        await live.close();
        await dispose();
        await removeFolder(dataDir);
      },
    );
    harness.problems = problems;
    return harness;
  }

  /** Publishes facts up to a seq, sinks some of them, and waits until the reader has come there. */
  async advance(seq: number, sunk: number): Promise<void> {
    await this.live.publish(seq);
    const first = this.sink.checkpoint.seq < 0;
    if (sunk > this.sink.checkpoint.seq) await this.sink.writeTo(sunk);
    if (first) await this.sink.flip();
    const { seq: written } = this.sink.checkpoint;
    await until(
      () => {
        this.reader.checkNow();
        const status = this.reader.status();
        return status.seq === this.live.lastSeq && status.checkpointSeq === Math.min(written, this.live.lastSeq);
      },
      {
        howFar: () => ({
          wanted: { seq: this.live.lastSeq, written },
          status: this.reader.status(),
          problems: this.problems,
        }),
      },
    );
  }

  /** Writes all that was published into tables of their own and waits until these are served. */
  async replay(): Promise<void> {
    const generation = this.sink.checkpoint.generation + 1;
    const again = await SteppedSink.create(this.store, this.live.facts, generation);
    await again.writeTo(this.live.lastSeq);
    await again.flip();
    const served = () => {
      this.reader.checkNow();
      return this.reader.status().generation === generation;
    };
    await until(served, {
      howFar: () => ({ wanted: generation, status: this.reader.status(), problems: this.problems }),
    });
  }

  async get(path: string, init: RequestInit & { key?: string | null } = {}): Promise<Reply> {
    const { key = this.key, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (key !== null) headers.set('x-api-key', key);
    const response = await fetch(this.api.url + path, { ...rest, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
  }

  /** The body of an answer that has to be 200 and what the served document says of it. */
  async documented(path: string, schema: string): Promise<Reply['body']> {
    this.document ??= parse((await this.get('/openapi.yaml')).text) as Document;
    const reply = await this.get(path);
    expect({ path, status: reply.status, error: reply.body.error }).toEqual({ path, status: 200, error: undefined });
    expect(schemaProblems(this.document, { $ref: `#/components/schemas/${schema}` }, reply.body)).toEqual([]);
    return reply.body;
  }

  close(): Promise<void> {
    return this.dispose();
  }
}

/** The same store, whose queries fail while it is away. */
function storeThatGoesAway(store: AnalyticsStore, isAway: () => boolean): AnalyticsStore {
  const query: AnalyticsStore['query'] = (...asked) =>
    isAway() ? Promise.reject(new StoreError('store_failed', 'the store is away')) : store.query(...asked);
  return Object.assign(Object.create(store) as AnalyticsStore, { query });
}

function startReader(
  chain: ChainSpec,
  live: LiveMarket,
  store: AnalyticsStore,
  { book, found, hot }: { book: MetadataBook; found: SafetyBook; hot: HotLimits | undefined },
) {
  const source = storeSource(store, chain.slug);
  const safeties = found.of(chain.slug);
  const reader = createChainReader({
    chain,
    log: live.log,
    source,
    pollMs: 20,
    about: book.of(chain.slug),
    safeties,
    hot,
  });
  const abort = new AbortController();
  const ended = Promise.all([reader.run(abort.signal), book.run(abort.signal), found.run(abort.signal)]);
  const stop = async () => {
    abort.abort();
    await ended;
  };
  return { reader, stop };
}
