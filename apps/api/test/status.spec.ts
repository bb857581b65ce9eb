import { parse } from 'yaml';
import { randomMarket } from '#libs/devkit/testing/market/market-harness.js';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { until, untilAnswer } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { ingestStatusTopic } from '#libs/protocol/topics.js';
import { encodeIngestStatus, type IngestStatus } from '#libs/serve/contract/ingest-status.js';
import type { ChainStatus } from '#libs/serve/contract/rest/status-body.js';
import { IngestFollower } from '../src/status/ingest-follower.js';
import { ApiHarness } from './api-harness.js';

/** What dashboards are shown: the word of the ingest of each chain, the api's own view, and what is missing. */
describe('status', () => {
  const market = randomMarket(20263, { groups: 60 });
  let harness: ApiHarness;
  let document: Record<string, Record<string, unknown>>;
  let log: EventLog;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    log = harness.live.log;
    document = parse((await harness.get('/openapi.yaml')).text);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const word = (over: Partial<IngestStatus> = {}): IngestStatus => ({
    ...{ version: 1, chain: 'eth', startedAt: 1_000, at: Date.now(), state: 'live' },
    head: { block: 7, hash: '0xab', time: Date.now() - 4_000 },
    ...{ chainHead: 9, lagBlocks: 2, finalized: 3, sealed: 5, checkpointBlock: 6, progress: null },
    reorgs: { count: 2, deepest: 4, last: { time: 5, depth: 1, fromBlock: 7 } },
    nodes: [{ name: 'node 1', transport: 'http', ok: true, problem: null, problemAt: null }],
    ...{ trouble: null, ...over },
  });

  async function tell(value: Uint8Array): Promise<void> {
    await log.ensureTopics([ingestStatusTopic]);
    const writer = await log.openWriter('status.eth');
    await writer.append([{ topic: ingestStatusTopic, key: 'eth', value }]);
    await writer.close();
  }

  async function shown(): Promise<ChainStatus> {
    const reply = await harness.get('/status');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(schemaProblems(document, { $ref: '#/components/schemas/StatusAnswer' }, reply.body)).toEqual([]);
    expect(reply.body.data.version).toBe('1.2.3');
    expect(reply.body.data.chains).toHaveLength(1);
    return reply.body.data.chains[0];
  }

  /** A request may be answered by what was read a moment ago. */
  async function shownWhen(so: (status: ChainStatus) => boolean): Promise<ChainStatus> {
    return untilAnswer('the status', async () => {
      const status = await shown();
      return so(status) && status;
    });
  }

  it('answers before anything is known', async () => {
    const status = await shown();
    expect(status).toMatchObject({
      chain: 'eth',
      name: 'Ethereum',
      state: 'unknown',
      head: null,
      indexed: null,
      rpc: [],
    });
    expect(status.reorgs).toEqual({ count: 0, deepest: 0, last: null, since: null });
    expect(status.trouble).toContain('nothing was heard');
    expect((await harness.get('/status')).body.meta).toEqual({ chains: {} });
  });

  it('shows what the ingest said, what is served, and the topics', async () => {
    await harness.advance(50, 40);
    await tell(encodeIngestStatus(word()));
    const status = await shownWhen(({ state }) => state === 'live');
    const { head } = harness.reader.view();
    expect(status).toMatchObject({
      ...{ chainHead: 9, lagBlocks: 2, finalized: 3, sealed: 5, trouble: null },
      indexed: { block: head.height, checkpointBlock: 6 },
      reorgs: { count: 2, deepest: 4, last: { time: 5, depth: 1, fromBlock: 7 }, since: 1_000 },
      rpc: word().nodes,
    });
    expect(status.lagSeconds).toBeGreaterThanOrEqual(4);
    const { body } = await harness.get('/v1/status');
    expect(body.meta.chains.eth.block).toBe(head.height);
    expect(body.data.router).toEqual({ url: 'http://router.example' });
    const { lastSeq, topic } = harness.live;
    await until('the records of the topic', async () => {
      const { topics } = (await harness.get('/status')).body.data;
      const facts = topics.find(({ name }: { name: string }) => name === topic.name);
      if (facts.records > 0) expect(facts).toMatchObject({ records: lastSeq + 1, firstSeq: 0, lastSeq });
      return facts.records === lastSeq + 1;
    });
  });

  it('shows progress and trouble as they were said', async () => {
    const progress = { fromBlock: 1, block: 5, toBlock: 10, percent: 50, blocksPerSecond: 12.5, etaSeconds: 1 };
    await tell(encodeIngestStatus(word({ state: 'history', progress, trouble: 'no node can be used' })));
    const status = await shownWhen(({ state }) => state === 'history');
    expect(status).toMatchObject({ progress, trouble: 'no node can be used' });
  });

  it('shows what an upgrade builds, and nothing where an older ingest does not say', async () => {
    const building = {
      ...{ version: 'e1.f3', served: 'e1.f2', reason: 'fold version 3 instead of 2' },
      ...{ percent: 43.2, block: 5, etaSeconds: 80, waiting: null },
    };
    await tell(encodeIngestStatus(word({ building })));
    expect(await shownWhen((status) => status.building !== null)).toMatchObject({ building });
    await tell(encodeIngestStatus(word()));
    expect(await shownWhen((status) => status.building === null)).toMatchObject({ state: 'live' });
  });

  it('says who fell silent, and ignores what it cannot read', async () => {
    await tell(encodeIngestStatus(word({ at: Date.now() - 31_000, progress: null })));
    const silent = await shownWhen(({ trouble }) => / for \d\d s;/.test(trouble ?? ''));
    expect(silent.state).toBe('unknown');
    await tell(encodeIngestStatus(word({ at: Date.now() - 3_600_000, state: 'stopped', trouble: 'it was ended' })));
    expect(await shownWhen(({ state }) => state === 'stopped')).toMatchObject({ trouble: 'it was ended' });
    for (const value of [Buffer.from('no json'), Buffer.from('{"version":2}'), Buffer.from('null')]) {
      await tell(value);
      expect((await shownWhen(({ updatedAt }) => updatedAt === null)).state).toBe('unknown');
      await tell(encodeIngestStatus(word()));
      await shownWhen(({ state }) => state === 'live');
    }
  });

  it('wants a key', async () => {
    expect((await harness.get('/status', { key: null })).status).toBe(401);
  });

  it('goes on with what it knows when the log does not answer', async () => {
    const warnings: string[] = [];
    const logger = { info: () => undefined, warn: (_: object, message: string) => void warnings.push(message) };
    let broken = false;
    let now = 0;
    const flaky = new Proxy(log, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (broken) return () => Promise.reject(new Error('no broker'));
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const follower = new IngestFollower(flaky, { ...logger, error: logger.warn }, () => now);
    await follower.look();
    expect(follower.answers).toBe(true);
    expect(follower.of('eth')?.chainHead).toBe(9);
    broken = true;
    for (let i = 0; i < 3; i++) {
      now += 10_000;
      await follower.look();
      expect(follower.answers).toBe(false);
      expect(follower.of('eth')?.chainHead).toBe(9);
      expect(follower.topics().length).toBeGreaterThan(0);
    }
    expect(warnings).toHaveLength(2); // one for each of the two things that are asked
    broken = false;
    now += 10_000;
    await follower.look();
    expect(follower.answers).toBe(true);
  });
});
