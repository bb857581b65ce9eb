import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { openEmbeddedLog } from '#libs/event-log/embedded/embedded-log.js';
import { openKafkaLog } from '#libs/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/event-log/log.js';
import { foldSpaces } from '#libs/fold/fold-spaces.js';
import { createPoolFollower, type PoolFollower } from '#libs/pools/pool-follower.js';
import type { BlockGroup, BlocksGroup, PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { encodePoolCopy, encodePoolMark } from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY } from '#libs/protocol/pool-copy.js';
import { blocksTopic, epochsTopic, factsTopic, poolsTopic } from '#libs/protocol/topics.js';
import { HeapHome } from '#libs/state/heap-home.js';
import { runFold } from '#libs/testing/histories/fold-driver.js';
import { randomHistory } from '#libs/testing/histories/random-history.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/testing/kafka-broker.js';
import { type PlainPools, poolsOfBook, poolsOfFold } from '#libs/testing/pools/book-state.js';
import { checkCopies, readCopies } from '#libs/testing/pools/copy-checks.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/testing/seeded-random.js';
import { PATIENCE_MS } from '#libs/testing/until.js';
import { ProjectStage } from './project-stage.js';

const FOLD = 3;
const EPOCH = 1;

class Killed extends Error {}

async function soon(happened: () => boolean, state: () => string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; !happened(); ) {
    if (Date.now() > until) throw new Error(`nothing happens: ${state()}`);
    await delay(1);
  }
}

/** One chain of a log: its blocks are appended bit by bit, its fold is killed and started again. */
class ChainUnderTest {
  readonly states: PlainPools[] = [];
  readonly facts;
  readonly pools;
  private readonly home = new HeapHome(foldSpaces);
  private appended = 0;
  kills = 0;

  constructor(
    readonly log: EventLog,
    readonly chain: string,
    readonly groups: readonly BlocksGroup[],
  ) {
    runFold(groups, ({ fold }) => this.states.push(poolsOfFold(fold)));
    this.facts = factsTopic(chain, EPOCH, FOLD);
    this.pools = poolsTopic(chain, EPOCH, FOLD);
  }

  get end(): number {
    return this.appended - 1;
  }

  async append(count: number): Promise<void> {
    const topic = blocksTopic(this.chain, EPOCH);
    await this.log.ensureTopics([topic, epochsTopic]);
    const writer = await this.log.openWriter(`source.${this.chain}`);
    const next = this.groups.slice(this.appended, this.appended + count);
    const served = Buffer.from(JSON.stringify({ epoch: EPOCH, foldVersion: FOLD }));
    await writer.append([
      ...next.map((group) => ({ topic, seq: group.seq, value: encodeBlocksGroup(group) })),
      { topic: epochsTopic, key: this.chain, value: served },
    ]);
    await writer.close();
    this.appended += next.length;
  }

  /**
   * Runs the fold until the copies reach the end of blocks; with a number it is killed at that step instead. `more`
   * appends while the fold runs.
   */
  async fold(
    killAt = Number.POSITIVE_INFINITY,
    more: (copied: () => Promise<void>) => Promise<void> = (ready) => ready(),
  ) {
    let left = killAt;
    const steps = async (): Promise<void> => {
      if (left-- <= 0) throw new Killed();
    };
    const stage = new ProjectStage({
      ...{ log: this.log, chain: this.chain, epoch: EPOCH, foldVersion: FOLD, steps, home: this.home },
      ...{ commits: { everyBlocks: 15 }, fold: { objects: 20 } },
      poolCopies: { everyBlocks: 1, pauseMs: 0, chunkRecords: 3 },
    });
    const stop = new AbortController();
    const running = stage.run(stop.signal);
    let ended = false;
    running
      .catch(() => undefined)
      .finally(() => {
        ended = true;
      });
    const copied = (): boolean => {
      const { factsSeq, poolsSeq } = stage.status().detail as { factsSeq: number; poolsSeq: number };
      const missing = this.groups.slice(poolsSeq + 1, this.end + 1);
      return ended || (factsSeq === this.end && missing.every(({ kind }) => kind === 'finalize'));
    };
    await more(() => soon(copied, () => JSON.stringify(stage.status())));
    stop.abort();
    await running.catch((error: unknown) => {
      // In the middle of a commit it is what made that fail.
      if (!(error instanceof Killed) && !((error as Error).cause instanceof Killed)) throw error;
      this.kills++;
    });
  }

  async check(): Promise<void> {
    const copies = await readCopies(this.log, this.pools);
    checkCopies(copies, this.states, (await this.log.lastGroup(this.facts))?.seq ?? -1);
  }

  /** A follower whose every book must be what the fold holds. */
  follow(): Following {
    return new Following(this);
  }
}

class Following {
  readonly follower: PoolFollower;
  readonly seen: number[] = [];
  private readonly stop = new AbortController();
  private readonly running: Promise<void>;
  private failure: unknown = null;

  constructor(private readonly chain: ChainUnderTest) {
    this.follower = createPoolFollower({ chain: chain.chain, log: chain.log, pollMs: 20 });
    this.follower.onGroup((facts) => {
      this.seen.push(facts.seq);
      this.look();
    });
    this.running = this.follower.run(this.stop.signal);
    this.running.catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Compares the book as it is now. */
  look(): void {
    const book = this.follower.book()!;
    const expected = this.chain.states[book.seq] ?? [];
    // Jest's own comparison is too slow for every group of every follower.
    if (this.failure !== null || isDeepStrictEqual(poolsOfBook(book), expected)) return;
    this.failure = new Error(`the book differs from the fold at seq ${book.seq}`);
  }

  async reaches(seq: number): Promise<void> {
    const reached = () => this.failure !== null || (this.follower.book()?.seq ?? -1) >= seq;
    await soon(reached, () => JSON.stringify({ seq, status: this.follower.status() }));
    this.look();
    if (this.failure !== null) throw this.failure;
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
    expect(this.follower.book()).toBeNull();
    if (this.failure !== null) throw this.failure;
  }
}

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
    await soon(
      () => follower.book() !== null,
      () => JSON.stringify(follower.status()),
    );
    expect(poolsOfBook(follower.book()!)).toEqual(under.states[under.end]);
    const { height, hash, time } = mark!;
    expect(follower.head()).toMatchObject({ height, hash, time });
    const before = looks;
    await soon(
      () => looks > before + 2,
      () => 'no more looks',
    );
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

describe('a start of the fold', () => {
  const chain = 'restarted';
  let log: EventLog;
  let under: ChainUnderTest;
  /** Reads of all copies at once, by anyone and by the fold. */
  let reads = 0;
  let compared = 0;
  const fold = async (killAt?: number) => {
    const before = reads;
    await under.fold(killAt);
    compared += reads - before;
  };
  beforeEach(async () => {
    const own = await openEmbeddedLog({ dir: mkdtempSync(join(dir, 'restarted-')) });
    log = Object.create(own, {
      readCompacted: {
        value: (topic: { name: string }) => {
          if (topic.name === under.pools.name) reads++;
          return own.readCompacted(topic as never);
        },
      },
    });
    under = new ChainUnderTest(log, chain, randomHistory(11, { chain, groups: 120, retractions: 0.1 }).groups);
    await under.append(80);
    await under.fold();
    compared = 0;
  });
  afterEach(() => log.close());

  const overwrite = async (records: { key: string; value: Uint8Array | null }[]) => {
    const writer = await log.openWriter('forger');
    await writer.append(records.map((record) => ({ topic: under.pools, ...record })));
    await writer.close();
  };
  /** A copy of a pool that is not as facts left it. */
  const forged = async () => {
    const [copy] = (await readCopies(log, under.pools)).copies;
    const { record, state } = copy!;
    return encodePoolCopy({ seq: under.end, record, state: { ...state, reserve0: state.reserve0 + 1n } });
  };

  it('publishes what changed since a mark that facts confirm, and reads no copies at once', async () => {
    const offset = async () => (await log.readKeyed(under.pools, 0, 0n, 10_000)).at(-1)!.offset;
    const before = await offset();
    await fold();
    expect(Number((await offset()) - before)).toBe(1); // the mark
    await under.append(40);
    await fold(60);
    await fold();
    await under.check();
    expect(compared).toBe(0);
    const { mark, copies } = await readCopies(log, under.pools);
    expect([mark!.seq, copies.length]).toEqual([under.end, under.states[under.end]!.length]);
  });

  it('compares all copies when the mark names another block, or there is none', async () => {
    const { mark } = await readCopies(log, under.pools);
    for (const value of [encodePoolMark({ ...mark!, hash: 'ee'.repeat(32) }), null]) {
      compared = 0;
      await overwrite([...(await forged()), { key: POOL_MARK_KEY, value }]);
      await expect(under.check()).rejects.toThrow();
      await fold();
      await under.check();
      expect(compared).toBe(1);
    }
  });

  it('compares all copies when facts end before the mark', async () => {
    const { mark } = await readCopies(log, under.pools);
    const seq = mark!.seq + 5;
    await overwrite([...(await forged()), { key: POOL_MARK_KEY, value: encodePoolMark({ ...mark!, seq }) }]);
    await fold();
    await under.check();
    expect(compared).toBe(1);
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
