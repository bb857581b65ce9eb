import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { poolsOfBook } from '#libs/devkit/testing/pools/book-state.js';
import { readCopies } from '#libs/devkit/testing/pools/copy-checks.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { BlockGroup, BlocksGroup, PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import { createPoolFollower } from '#libs/routing/pools/pool-follower.js';
import { ChainUnderTest, EPOCH, type Following } from './test/chain-under-test.js';

async function randomRun(log: EventLog, seed: number): Promise<ChainUnderTest> {
  const random = new SeededRandom(seed);
  const chain = `c${seed}x${Math.floor(random.next() * 1e9)}`;
  const { groups } = randomHistory(seed, { chain, groups: 120, retractions: 0.1 });
  const under = new ChainUnderTest(log, chain, groups);
  const early = under.follow();
  const followers: Following[] = [];
  while (under.end < groups.length - 1) {
    await under.append(random.int(2, 40));
    for (let kills = random.int(0, 3); kills > 0; kills--) {
      await under.fold(random.int(0, 30));
      await under.check();
      if (random.chance(0.5)) followers.push(under.follow());
    }
    if (random.chance(0.6)) {
      await under.fold(Number.POSITIVE_INFINITY, async (copied) => {
        for (let pieces = random.int(1, 12); pieces > 0; pieces--) {
          await copied();
          await under.check();
          if (random.chance(0.1)) followers.push(under.follow());
          if (under.end < groups.length - 1) await under.append(random.int(1, 6));
        }
        await copied();
      });
      followers.push(under.follow());
      await followers.at(-1)!.reaches(under.end);
    }
  }
  await under.fold();
  await under.check();
  for (const following of [early, ...followers]) {
    await following.reaches(under.end);
    await following.end();
  }
  return under;
}

async function forSeeds(seeds: number[], property: (seed: number) => Promise<void>): Promise<void> {
  for (const seed of seeds) {
    try {
      await property(seed);
    } catch (error) {
      throw new Error(`seed ${seed} (repeat with TIDEPOOL_TEST_SEED=${seed})`, { cause: error });
    }
  }
}

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tidepool-pool-copies-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('copies of the pools on the embedded log', () => {
  let log: EventLog;
  beforeAll(async () => {
    log = await openEmbeddedLog({ dir: join(dir, 'log') });
  });
  afterAll(() => log.close());

  it('are true at any moment, and whoever starts from them holds what the fold holds', async () => {
    let kills = 0;
    await forSeeds(propertySeeds(scaled(40, 3)), async (seed) => {
      kills += (await randomRun(log, seed)).kills;
    });
    expect(kills).toBeGreaterThan(3);
  }, 300_000);

  it('let a follower start at the mark instead of at the beginning of facts', async () => {
    const { groups } = randomHistory(7, { chain: 'late', groups: 100 });
    const under = new ChainUnderTest(log, 'late', groups);
    await under.append(100);
    await under.fold();
    const { mark, copies, loose } = await readCopies(log, under.pools);
    expect(mark?.seq).toBe(under.end);
    expect(copies.length).toBe(under.states[under.end]!.length);
    expect(loose).toBe(0);
    const read: number[] = [];
    let looks = 0;
    const watched: EventLog = Object.create(log, {
      readCompacted: {
        value: (topic: never) => {
          looks++;
          return log.readCompacted(topic);
        },
      },
      readGroups: {
        value: (topic: { name: string }, options: { fromSeq: number }) => {
          if (topic.name === under.facts.name) read.push(options.fromSeq);
          return log.readGroups(topic as never, options as never);
        },
      },
    });
    const follower = createPoolFollower({ chain: 'late', log: watched, pollMs: 20 });
    const stop = new AbortController();
    const running = follower.run(stop.signal);
    await until(() => follower.book() !== null, { everyMs: 1, howFar: () => follower.status() });
    expect(poolsOfBook(follower.book()!)).toEqual(under.states[under.end]);
    const { height, hash, time } = mark!;
    expect(follower.head()).toMatchObject({ height, hash, time });
    const before = looks;
    await until('more looks', () => looks > before + 2, { everyMs: 1 });
    expect(read).toEqual([under.end + 1]);
    stop.abort();
    await running;
  });

  it('hold a pool with more ticks than fit in one record, and forget its parts after a start', async () => {
    const { groups, pool } = manyTicks('ticks', [60_000, 3]);
    const under = new ChainUnderTest(log, 'ticks', groups);
    await under.append(2);
    await under.fold();
    await under.check();
    expect((await log.readCompacted(under.pools)).size).toBeGreaterThan(3);
    const following = under.follow();
    await following.reaches(1);
    expect(following.follower.book()!.pool(pool)!.ticks.length).toBe(60_000);
    await under.append(1);
    await under.fold();
    await under.check();
    await following.reaches(2);
    expect(following.follower.book()!.pool(pool)!.ticks.length).toBe(3);
    await following.end();
    const late = under.follow();
    await late.reaches(2);
    await late.end();
    await under.append(1);
    await under.fold();
    expect(await readCopies(log, under.pools)).toMatchObject({ loose: 0, mark: { seq: 3 } });
  });
});

/** A chain of one pool, of which every block replaces all ticks; a last block without any. */
function manyTicks(chain: string, counts: number[]): { groups: BlocksGroup[]; pool: string } {
  const { groups, reference } = randomHistory(1, { chain, groups: 1 });
  const first = groups[0]!;
  const pool = 'ab'.repeat(20);
  const record: PoolRecord = {
    ...{ pool, venue: 'uniswap-v3', token0: reference.coin.token, token1: reference.stables[0]! },
    ...{ kind: 'concentrated', feePpm: 100, tickSpacing: 1, created: false },
  };
  const blocks = [...counts, null].map((count, at): BlockGroup => {
    const ticks = Array.from({ length: count ?? 0 }, (_, i): TickRecord => {
      return { tick: i * 2 - 60_000, liquidityGross: 10n ** 18n + BigInt(i), liquidityNet: 10n ** 18n - BigInt(i) };
    });
    const concentrated = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity: 10n ** 20n, ticks };
    return {
      ...{ kind: 'block', chain, epoch: EPOCH, seq: at + 1, height: first.height + at + 1, time: first.time + at + 1 },
      hash: String(at + 1).repeat(64),
      parentHash: at === 0 ? first.hash || '00'.repeat(32) : String(at).repeat(64),
      ...{ source: 'http', observedAt: 0, txs: [], tokens: [], events: [], pools: at === 0 ? [record] : [] },
      anchors: count === null ? [] : [{ pool, reserve0: 1n, reserve1: 2n, concentrated }],
    };
  });
  return { groups: [first, ...blocks], pool };
}

describeWithKafka('copies of the pools on Kafka (long)', () => {
  let broker: KafkaBroker;
  let log: EventLog;
  beforeAll(async () => {
    broker = await startKafkaBroker();
    log = await openKafkaLog({ brokers: broker.brokers, clientId: 'pool-copies' });
  });
  afterAll(async () => {
    await log.close();
    await broker.stop();
  });

  it('are true at any moment, and whoever starts from them holds what the fold holds', async () => {
    await forSeeds(propertySeeds(scaled(10, 1), 500), async (seed) => {
      await randomRun(log, seed);
    });
  }, 300_000);

  it('hold a pool with more ticks than fit in one record', async () => {
    const { groups, pool } = manyTicks('kticks', [60_000]);
    const under = new ChainUnderTest(log, 'kticks', groups);
    await under.append(3);
    await under.fold();
    await under.check();
    const following = under.follow();
    await following.reaches(2);
    expect(following.follower.book()!.pool(pool)!.ticks.length).toBe(60_000);
    await following.end();
  });
});
