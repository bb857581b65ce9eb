import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { ingestStatusTopic } from '#libs/protocol/topics.js';
import { decodeIngestStatus, type IngestStatus } from '#libs/serve/contract/ingest-status.js';
import { StatusPublisher, type StatusPublisherDeps } from './status-publisher.js';

/** What is published and when; a log that refuses it does no harm. Over a real log. */
describe('publisher of the status', () => {
  let dir: string;
  let log: EventLog;
  const warnings: string[] = [];
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-status-'));
    log = await openEmbeddedLog({ dir });
    warnings.length = 0;
  });
  afterEach(async () => {
    await log.close();
    await rm(dir, { recursive: true, force: true });
  });

  const current: IngestStatus = {
    ...{ version: 1, chain: 'eth', startedAt: 1, at: 0, state: 'live', head: null, chainHead: null, lagBlocks: null },
    ...{ finalized: null, sealed: null, checkpointBlock: null, progress: null, nodes: [], trouble: null },
    reorgs: { count: 0, deepest: 0, last: null },
  };
  let height: number | null = null;

  function run(over: Partial<StatusPublisherDeps> = {}) {
    const abort = new AbortController();
    const publisher = new StatusPublisher({
      ...{ log, chain: 'eth', everyMs: 1, repeatMs: Number.POSITIVE_INFINITY, maxRetryMs: 2 },
      status: (at) => ({ ...current, at, chainHead: height }),
      logger: { warn: (_fields, message) => void warnings.push(message) },
      ...over,
    });
    const ended = publisher.run(abort.signal);
    const stop = () => {
      abort.abort();
      return ended;
    };
    return { ended, stop };
  }

  async function published(): Promise<{ offset: bigint; status: IngestStatus } | null> {
    await log.ensureTopics([ingestStatusTopic]);
    const records = await log.readKeyed(ingestStatusTopic, 0, 0n, 10);
    expect(records.length).toBeLessThanOrEqual(1); // a compacted topic keeps the newest value of the one key
    const [record] = records;
    return record ? { offset: record.offset, status: decodeIngestStatus(record.value!)! } : null;
  }

  const publishedHeight = (wanted: number) => async () => (await published())?.status.chainHead === wanted;

  it('publishes what changed, and nothing while nothing does', async () => {
    height = 1;
    let turns = 0;
    const running = run({ status: (at) => ({ ...current, at, chainHead: height, lagBlocks: turns++ < 0 ? 1 : null }) });
    await until(publishedHeight(1));
    const first = (await published())!.offset;
    const seen = turns;
    await until(async () => turns > seen + 5);
    expect((await published())!.offset).toBe(first);
    height = 2;
    await until(publishedHeight(2));
    expect((await published())!.offset).toBe(first + 1n);
    await running.stop();
  });

  it('repeats itself at intervals, and publishes its end', async () => {
    height = 3;
    let now = 1_000;
    const running = run({ repeatMs: 100, now: () => now, steady: () => now });
    await until(publishedHeight(3));
    expect((await published())!.status.at).toBe(1_000);
    now = 1_100;
    await until(async () => (await published())!.status.at === 1_100);
    now = 1_150;
    await running.stop();
    expect((await published())!.status).toMatchObject({ state: 'stopped', at: 1_150, chainHead: 3 });
    expect((await published())!.status.trouble).not.toBeNull();
    expect(warnings).toEqual([]);
  });

  it('continues when the log refuses it, with one line about it', async () => {
    height = 4;
    let failures = 3;
    const failing = new Proxy(log, {
      get(target, property) {
        if (property === 'openWriter' && failures-- > 0) return () => Promise.reject(new Error('no broker'));
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const running = run({ log: failing });
    await until(publishedHeight(4));
    expect(warnings).toHaveLength(1);
    await running.stop();
  });

  it('leaves the topic to a newer process', async () => {
    height = 5;
    const running = run();
    await until(publishedHeight(5));
    const newer = await log.openWriter('status.eth');
    height = 6;
    await expect(running.ended).rejects.toMatchObject({ code: 'fenced' });
    expect((await published())!.status.chainHead).toBe(5);
    expect(warnings).toEqual([]);
    await newer.close();
  });
});
