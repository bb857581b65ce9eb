import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { expectLog } from '#apps/ingest/src/source/test/log-checks.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { randomHistory, retractionsPastSeal } from '#libs/devkit/testing/histories/random-history.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { type PlainPools, poolsOfFold } from '#libs/devkit/testing/pools/book-state.js';
import { checkCopies, readCopies } from '#libs/devkit/testing/pools/copy-checks.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testScale as scale, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { foldHomeIn } from '#libs/pipeline/fold/fold-home.js';
import { lastIntent } from '#libs/pipeline/sink/intents.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, factsTopic, poolsTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { compareWithUninterrupted } from './kill-checks.js';
import { type Kill, killPlan, type StageName, StageProcess, showKill } from './kill-fixtures.js';
import { EPOCH, projectAll, publishHistory, runUntil } from './real-pipeline.js';
import type { StageOrder } from './stage-child.js';

/**
 * Invariant 3 of docs/architecture.md: `kill -9` of a stage anywhere, restart: nothing lost, nothing doubled. The stages
 * run in processes of their own over the real logs and the real engine.
 */
const seed = testSeed();
/** Of each stage; fewer over Kafka, where each start takes longer. */
const KILLS = scale < 1 ? { embedded: 3, kafka: 2 } : { embedded: scaled(50), kafka: scaled(30) };
const TIMEOUT_MS = 240_000 + KILLS.embedded * 60_000;
const never = new AbortController().signal;

let dir: string;
let log: EventLog;
let address: StageOrder['log'];
let random: SeededRandom;
let current: StageProcess | null = null;
/** Every kill so far, printed with a failure. */
let trace: string[] = [];
let runs = 0;

async function start(
  order: Omit<StageOrder, 'log' | 'epoch' | 'batch' | 'rpcUrl' | 'purgeAfterMs'> & Partial<StageOrder>,
) {
  const given = { log: address, epoch: EPOCH, batch: random.between(2, 6), rpcUrl: '', purgeAfterMs: 900_000 };
  current = new StageProcess({ ...given, ...order });
  return current;
}

async function records(topic: TopicSpec): Promise<{ seq: number; value: string }[]> {
  const found: { seq: number; value: string }[] = [];
  for await (const batch of log.readGroups(topic, { fromSeq: 0, signal: never, untilEnd: true })) {
    for (const { seq, value } of batch) found.push({ seq, value: Buffer.from(value).toString('base64') });
  }
  return found;
}

/** Kills one stage over and over until its input ends or the plan does, then lets it finish. Returns what is left. */
async function killAgainAndAgain(order: Parameters<typeof start>[0], plan: Kill[]): Promise<Kill[]> {
  const left = [...plan];
  while (left.length > 0) {
    const child = await start({ ...order, crash: left[0]! });
    const ending = await child.meet(left[0]!);
    trace.push(`${ending} ${showKill(left[0]!)}`);
    if (ending === 'done') {
      await child.stop();
      // Not reached in this history: the first thing to be met in another one.
      return [{ ...left[0]!, passes: 0 }, ...left.slice(1)];
    }
    left.shift();
  }
  const child = await start({ ...order, crash: null });
  await child.done();
  await child.stop();
  return left;
}

/** Runs `history` with fresh histories until every planned kill has happened. */
async function carryOut(
  stage: StageName,
  kills: number,
  history: (plan: Kill[], chain: string) => Promise<Kill[]>,
): Promise<void> {
  let left = killPlan(random, stage, kills);
  for (let idle = 0; left.length > 0; ) {
    const before = left.length;
    left = await history(left, `k${++runs}`);
    idle = left.length < before ? 0 : idle + 1;
    if (idle > 8) throw new Error(`${showKill(left[0]!)} is never reached`);
  }
}

const longHistory = (chain: string): BlocksGroup[] => {
  const ofRun = random.uint32();
  const { groups } = randomHistory(ofRun, { chain, groups: 180, deepest: 64, retractions: 0.1 });
  trace.push(
    `history ${ofRun}: ${groups.length} groups, ${retractionsPastSeal(groups).length} retractions past finality`,
  );
  return groups;
};

async function killSource(plan: Kill[], chain: string): Promise<Kill[]> {
  const builder = new ChainBuilder({ seed: random.uint32(), transactions: [0, 3] });
  builder.mine(120);
  const rpc = await startFaultRpc({ chain: builder, faults: { seed } });
  const stop = new AbortController();
  const topic = blocksTopic(chain, EPOCH);
  const moves = (async () => {
    while (!stop.signal.aborted) {
      await delay(60);
      if (!(current?.running ?? false)) continue;
      if (random.chance(0.2)) builder.reorg(random.between(1, 30));
      else builder.mine(random.between(1, 2));
    }
  })();
  try {
    const order = { stage: 'source', chain, dir: join(dir, chain), rpcUrl: rpc.url, lastSeq: -1, batch: 500 } as const;
    const now = plan.slice(0, 12);
    for (const kill of now) {
      const child = await start({ ...order, crash: kill });
      trace.push(`${await child.meet(kill)} ${showKill(kill)}`);
    }
    stop.abort();
    await moves;
    const child = await start({ ...order, crash: null });
    const atHead = async (): Promise<boolean> => {
      child.check();
      const last = await log.lastGroup(topic);
      const group = last && decodeBlocksGroup(last.value);
      if (group === null || group.kind === 'epoch') return false;
      const groups = (await records(topic)).map(({ value }) => decodeBlocksGroup(Buffer.from(value, 'base64')));
      const heads = groups.filter(({ kind }) => kind === 'block' || kind === 'retract');
      return heads.at(-1)?.hash === builder.head.hash.slice(2);
    };
    await until('the head of the builder', atHead, { everyMs: 50 });
    await child.stop();
    const groups = (await records(topic)).map(({ value }) => decodeBlocksGroup(Buffer.from(value, 'base64')));
    expectLog(groups, builder);
    trace.push(`${groups.length} groups, ${groups.filter(({ kind }) => kind === 'retract').length} retractions`);
    return plan.slice(now.length);
  } finally {
    stop.abort();
    await moves;
    await rpc.close();
  }
}

async function killFold(plan: Kill[], chain: string): Promise<Kill[]> {
  const groups = longHistory(chain);
  await publishHistory(log, groups);
  const folder = join(dir, chain);
  const order = { stage: 'project', chain, dir: folder, lastSeq: groups.length - 1 } as const;
  const left = await killAgainAndAgain({ ...order, crash: null }, plan);

  const topic = factsTopic(chain, EPOCH, foldVersion);
  const found = await records(topic);
  expect(found).toEqual(await uninterruptedFacts(chain, groups));
  const states: PlainPools[] = [];
  runFold(groups, ({ fold }) => states.push(poolsOfFold(fold)));
  // What the kills left of the copies of pools is true; the next start completes it.
  const pools = poolsTopic(chain, EPOCH, foldVersion);
  checkCopies(await readCopies(log, pools), states, groups.length - 1);
  // What the kills left on disk restores to a fold that agrees with every later group: the stage compares on start.
  const stage = new ProjectStage({
    ...{ log, chain, epoch: EPOCH, foldVersion },
    home: foldHomeIn(folder, { chain, epoch: EPOCH, foldVersion }, { commitThread }),
  });
  await runUntil(stage, async () => stage.status().detail.poolsSeq === groups.length - 1);
  checkCopies(await readCopies(log, pools), states, groups.length - 1);
  expect(await records(topic)).toEqual(found);
  return left;
}

async function uninterruptedFacts(chain: string, groups: BlocksGroup[]): ReturnType<typeof records> {
  const underTest = log;
  log = await openEmbeddedLog({ dir: join(dir, `${chain}-calm`) });
  try {
    await publishHistory(log, groups);
    await projectAll(log, chain);
    return await records(factsTopic(chain, EPOCH, foldVersion));
  } finally {
    await log.close();
    log = underTest;
  }
}

async function killSink(plan: Kill[], chain: string): Promise<Kill[]> {
  const groups = longHistory(chain);
  await publishHistory(log, groups);
  await projectAll(log, chain);
  // Purges are met where they are asked for.
  const purges = random.chance(0.3) || plan[0]!.step.includes('purg');
  const purgeAfterMs = purges ? 0 : 900_000;
  const order = { stage: 'sink', chain, dir: join(dir, chain), lastSeq: groups.length - 1, purgeAfterMs } as const;
  const left = await killAgainAndAgain({ ...order, crash: null }, plan);
  await compareTables(order.dir, groups);
  return left;
}

/** The tables that a sink left are those of a sink that nothing happened to. */
async function compareTables(folder: string, groups: BlocksGroup[]): Promise<void> {
  const store = await openChdbStore({ dir: folder });
  try {
    await compareWithUninterrupted(log, store, groups);
  } finally {
    await store.close();
  }
}

/** A sink that was killed once, and what damages its tables further before it starts again. */
async function killedSink(
  chain: string,
  kill: Kill,
  damage: (store: AnalyticsStore, database: string) => Promise<void>,
) {
  const groups = longHistory(chain);
  await publishHistory(log, groups);
  await projectAll(log, chain);
  const order = { stage: 'sink', chain, dir: join(dir, chain), lastSeq: groups.length - 1, crash: null } as const;
  const child = await start({ ...order, crash: kill });
  expect(await child.meet(kill)).toBe('killed');
  const { database } = new MarketTables({} as AnalyticsStore, chain, 1);
  const torn = await openChdbStore({ dir: order.dir });
  try {
    await damage(torn, database);
  } finally {
    await torn.close();
  }
  return { order, groups };
}

/** A kill between the insert of the trades and that of their copy, forced: the copy's view is away for this insert. */
async function tearCopies(chain: string): Promise<void> {
  const tear: Kill = { step: 'sink.before-insert.trades', passes: random.int(6), how: 'torn', afterMs: 0 };
  const { order, groups } = await killedSink(chain, tear, async (torn, database) => {
    const count = async (table: string) => countRows(torn, `${database}.${table}`);
    const short = (await count('trades')) - (await count('trades_by_quote'));
    trace.push(`torn at pass ${tear.passes + 1}: ${short} rows in trades alone`);
    expect(short).toBeGreaterThan(0);
  });
  // Random times too: right behind that insert, where the engine works on the base table or on its copies.
  const soon = Array.from({ length: Math.max(2, Math.round(20 * scale)) }, (): Kill => {
    const step = random.pick(['sink.before-insert.trades', 'sink.before-insert.pools']);
    return { step, passes: 0, how: 'soon', afterMs: random.int(12) };
  });
  await killAgainAndAgain(order, soon);
  await compareTables(order.dir, groups);
}

/** A kill between the token of an insert and its rows, forged: the rows are taken away, their tokens stay known. */
async function leaveTokensAlone(chain: string): Promise<void> {
  const kill: Kill = { step: 'sink.before-checkpoint', passes: random.int(4), how: 'here', afterMs: 0 };
  const { order, groups } = await killedSink(chain, kill, async (torn, database) => {
    const intent = (await lastIntent(log, chain, 1))!;
    let lost = 0;
    // A base table without its copies, copies without their base table, and both.
    for (const table of ['blocks', 'trades', 'trades_by_quote', 'pools', 'pools_by_token']) {
      if (table !== 'blocks' && !random.chance(0.6)) continue;
      const rows = `${database}.${table} WHERE seq >= ${intent.fromSeq} AND seq <= ${intent.toSeq}`;
      const found = await countRows(torn, rows);
      lost += found;
      await torn.command(`DELETE FROM ${rows}`);
      trace.push(`${found} rows of ${table} lost`);
    }
    expect(lost).toBeGreaterThan(0);
  });
  await killAgainAndAgain(order, []);
  await compareTables(order.dir, groups);
}

const countRows = async (store: AnalyticsStore, of: string): Promise<number> =>
  Number((await store.query<{ n: string }>(`SELECT count() AS n FROM ${of}`))[0]!.n);

function killsOf(kills: number, open: () => Promise<EventLog>, where: () => StageOrder['log']): void {
  beforeEach(async () => {
    random = new SeededRandom(seed);
    trace = [];
    dir = await mkdtemp(join(tmpdir(), 'tidepool-kill-'));
    log = await open();
    address = where();
  });

  afterEach(async () => {
    await current?.end();
    current = null;
    await log.close();
    await removeFolder(dir);
  });

  const traced = (body: () => Promise<void>) => async () => {
    try {
      await body();
    } catch (error) {
      const failure = error as Error;
      failure.message = `TIDEPOOL_TEST_SEED=${seed}, TIDEPOOL_TEST_SCALE=${scale}\n${trace.join('\n')}\n${failure.message}`;
      throw failure;
    }
  };

  it(
    `source: ${kills} kills`,
    traced(() => carryOut('source', kills, killSource)),
    TIMEOUT_MS,
  );
  it(
    `fold: ${kills} kills`,
    traced(() => carryOut('project', kills, killFold)),
    TIMEOUT_MS,
  );
  it(
    `sink: ${kills} kills`,
    traced(() => carryOut('sink', kills, killSink)),
    TIMEOUT_MS,
  );
  it(
    'sink: killed between the trades and their copy',
    traced(() => tearCopies(`k${++runs}`)),
    TIMEOUT_MS,
  );
  it(
    'sink: killed between the token of an insert and its rows',
    traced(() => leaveTokensAlone(`k${++runs}`)),
    TIMEOUT_MS,
  );
}

describe(`kill -9 over the embedded log (seed ${seed}) (long)`, () => {
  killsOf(
    KILLS.embedded,
    () => openEmbeddedLog({ dir: join(dir, 'log') }),
    () => ({ dir: join(dir, 'log') }),
  );
});

describeWithKafka(`kill -9 over Kafka (seed ${seed}) (long)`, () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await startKafkaBroker();
  });
  afterAll(() => broker?.stop());

  killsOf(
    KILLS.kafka,
    () => openKafkaLog({ brokers: broker.brokers, clientId: 'kill' }),
    () => ({ brokers: broker.brokers }),
  );
});
