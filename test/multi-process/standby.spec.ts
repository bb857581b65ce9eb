import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { expectLog } from '#apps/ingest/src/source/test/log-checks.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { type FaultRpc, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { CutProxy } from '#libs/devkit/testing/cut-proxy.js';
import { freePort } from '#libs/devkit/testing/guarded-server.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until, untilAnswer } from '#libs/devkit/testing/until.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openClickHouseStore } from '#libs/pipeline/store/clickhouse-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { type ClickHouseEndpoint, startClickHouseEndpoint } from '#libs/pipeline/store/test/clickhouse-endpoint.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import { compareWithUninterrupted } from '../pipeline/kill-checks.js';
import { EPOCH, runUntil } from '../pipeline/real-pipeline.js';
import { buildPrograms, endPrograms, PROJECT, Program } from './program.js';

/**
 * Two ingest processes of one chain, each with a folder of its own, on one Kafka broker and one ClickHouse endpoint. The active
 * one is lost again and again, in three ways; the other takes over, and the lost one comes back as the standby. In the end the
 * log is the chain's, its facts are its fold's, and the tables are those of a sink that was not disturbed.
 */
const LEASE_SECONDS = 10;
const CHAIN = 'eth';
const LIMIT_MS = 500_000 + scaled(20) * 180_000;
const seed = testSeed(31);

interface Role {
  role: 'active' | 'standby';
  holder: { pid: number } | null;
  heardAgoMs: number | null;
  lost: string | null;
}

/** One of the two: a process, and the lines between it and what the two share. */
interface Member {
  readonly name: string;
  readonly kafka: CutProxy;
  readonly clickhouse: CutProxy;
  program: Program;
  admin: string;
}

type Fault = 'kill -9' | 'SIGSTOP' | 'partition';

describeWithKafka('two ingest processes of one chain, of which the active one is lost (long)', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-standby-'));
  const builder = new ChainBuilder({ seed, transactions: [0, 3] });
  const random = new SeededRandom(seed);
  const members: Member[] = [];
  const took: Record<Fault, number[]> = { 'kill -9': [], SIGSTOP: [], partition: [] };
  let broker: KafkaBroker;
  let clickhouse: ClickHouseEndpoint;
  let rpc: FaultRpc;
  let log: EventLog;
  let store: AnalyticsStore;
  let stopMining: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    buildPrograms();
    mkdirSync(join(root, 'empty'));
    builder.mine(60);
    rpc = await startFaultRpc({ chain: builder, faults: { seed } });
    clickhouse = await startClickHouseEndpoint({ dir: join(root, 'clickhouse') });
    const ports = [await freePort(), await freePort()];
    const lines = await Promise.all(ports.map((port) => CutProxy.open(`http://127.0.0.1:${port}`)));
    const advertised = lines.map(({ url }) => Number(new URL(url).port));
    broker = await startKafkaBroker({ lines: ports.map((port, at) => ({ port, advertised: advertised[at]! })) });
    log = await openKafkaLog({ brokers: broker.brokers, clientId: 'outsider' });
    await log.ensureTopics([blocksTopic(CHAIN, EPOCH), factsTopic(CHAIN, EPOCH, foldVersion)]);
    store = await openClickHouseStore({ url: clickhouse.url });
    for (const [at, kafka] of lines.entries()) {
      const toTables = await CutProxy.open(clickhouse.url);
      members.push({ name: `ingest${at}`, kafka, clickhouse: toTables, program: null!, admin: '' });
    }
  }, LIMIT_MS);

  afterAll(async () => {
    await stopMining();
    for (const { program } of members) if (program?.alive) process.kill(program.pid, 'SIGCONT');
    await endPrograms();
    await log?.close();
    await store?.close();
    for (const { kafka, clickhouse: line } of members) await Promise.all([kafka.close(), line.close()]);
    await rpc?.close();
    await clickhouse?.close();
    await broker?.stop();
    removeFolderSync(root);
  }, LIMIT_MS);

  async function start(member: Member): Promise<void> {
    const env = {
      ...{ TIDEPOOL_DATA_DIR: join(root, member.name), CLICKHOUSE_URL: member.clickhouse.url },
      TIDEPOOL_KAFKA_BROKERS: `127.0.0.1:${new URL(member.kafka.url).port}`,
      ...{ TIDEPOOL_CHAINS: CHAIN, TIDEPOOL_RPC_ETH: rpc.url, TIDEPOOL_START_ETH: '0' },
      ...{ TIDEPOOL_ADMIN_PORT: '0', TIDEPOOL_METADATA: 'off', TIDEPOOL_INSERT_SECONDS: '1' },
      TIDEPOOL_LEASE_SECONDS: String(LEASE_SECONDS),
    };
    const args = [join(PROJECT, 'dist/apps/ingest/src/main.js')];
    member.program = new Program({ args, env, cwd: join(root, 'empty') });
    member.admin = (await member.program.logged('ingest is running')).admin as string;
  }

  async function roleOf({ admin }: Member): Promise<Role> {
    const health = (await (await fetch(`${admin}/health`)).json()) as { chains: Role[] };
    return health.chains[0]!;
  }

  const isIn = (member: Member, role: Role['role']): Promise<boolean> =>
    member.program.until(`${member.name} is ${role}`, async () => (await roleOf(member)).role === role);

  /**
   * Waits until one of the two is active and the other says that it is the standby of that one, of which it has heard lately. Which one
   * it is may change while none is lost: a machine that is busy enough takes a process's time for longer than the lease.
   */
  async function settled(): Promise<[active: Member, standby: Member]> {
    return untilAnswer(
      'one active, one standby',
      async () => {
        const roles = await Promise.all(members.map(roleOf));
        const at = roles.findIndex(({ role }) => role === 'active');
        const [active, standby] = [members[at], members[1 - at]];
        if (active === undefined || standby === undefined) return null;
        const { role, holder, heardAgoMs } = roles[1 - at]!;
        const stands = role === 'standby' && holder?.pid === active.program.pid && heardAgoMs! < LEASE_SECONDS * 1_000;
        return stands ? [active, standby] : null;
      },
      { everyMs: 100 },
    );
  }

  /** The newest block of facts, whatever was said of older ones after it. */
  async function headOfFacts(): Promise<{ height: number; hash: string }> {
    const topic = factsTopic(CHAIN, EPOCH, foldVersion);
    const last = await log.lastGroup(topic);
    let head = { height: -1, hash: '' };
    const fromSeq = Math.max(0, (last?.seq ?? 0) - 4);
    const { signal } = new AbortController();
    for await (const batch of log.readGroups(topic, { fromSeq, signal, untilEnd: true })) {
      for (const { value } of batch) {
        const { kind, height, hash } = peekEnvelope(value);
        if (kind !== 'finalize') head = { height, hash };
      }
    }
    return head;
  }

  /** What the two said last, for the message of a failure. */
  const words = (): string => members.map(({ name, program }) => `\n--- ${name}\n${program.words}`).join('');

  const atHead = (): Promise<void> =>
    until('the head', async () => `0x${(await headOfFacts()).hash}` === builder.head.hash, {
      ...{ everyMs: 100, howFar: async () => [await headOfFacts(), builder.head.hash] },
    });

  /** Blocks come all the while, and some go. */
  function mine(): void {
    let over = false;
    const work = (async () => {
      while (!over) {
        if (random.chance(0.15)) builder.reorg(random.between(1, 4));
        else builder.mine(1);
        await delay(random.between(50, 400));
      }
    })();
    stopMining = async () => {
      over = true;
      await work;
    };
  }

  /** Until a block that was made after now is served: facts, which readers follow, and then the tables. */
  async function served(since: number): Promise<number> {
    const height = builder.head.number + 1;
    const isFolded = async () => (await headOfFacts()).height >= height;
    await until(`facts of block ${height}`, isFolded, { everyMs: 50, howFar: words });
    const seconds = (performance.now() - since) / 1_000;
    const tables = storeTables(store, CHAIN).generation(1);
    const isInTables = async () => ((await tables.readCheckpoint())?.height ?? -1) >= height;
    await until(`block ${height} in the tables`, isInTables, { everyMs: 100, howFar: words });
    return seconds;
  }

  const lose: Record<Fault, (member: Member) => Promise<unknown> | void> = {
    'kill -9': (member) => member.program.kill9(),
    SIGSTOP: (member) => void process.kill(member.program.pid, 'SIGSTOP'),
    partition: (member) => {
      member.kafka.freeze();
      member.clickhouse.freeze();
    },
  };

  const bringBack: Record<Fault, (member: Member) => Promise<unknown> | void> = {
    'kill -9': (member) => start(member),
    SIGSTOP: (member) => void process.kill(member.program.pid, 'SIGCONT'),
    partition: (member) => {
      member.kafka.mend();
      member.clickhouse.mend();
    },
  };

  async function groups(): Promise<BlocksGroup[]> {
    const found: BlocksGroup[] = [];
    const { signal } = new AbortController();
    for await (const batch of log.readGroups(blocksTopic(CHAIN, EPOCH), { fromSeq: 0, signal, untilEnd: true })) {
      for (const { value } of batch) found.push(decodeBlocksGroup(value));
    }
    return found;
  }

  test(
    `is followed by the other each time, and nothing is lost or doubled (seed ${seed})`,
    async () => {
      for (const member of members) await start(member);
      await settled();
      mine();
      await served(performance.now());
      const faults = Array.from({ length: scaled(20, 1) }, () => ['kill -9', 'SIGSTOP', 'partition'] as const).flat();
      for (const fault of faults) {
        const [active, standby] = await settled();
        await delay(random.between(0, 1_500));
        const since = performance.now();
        await lose[fault](active);
        took[fault].push(await served(since));
        process.stderr.write(`standby: ${fault}: served again after ${took[fault].at(-1)!.toFixed(1)} s\n`);
        await isIn(standby, 'active');
        await bringBack[fault](active);
        await settled();
        await served(performance.now());
      }
      await stopMining();
      for (const [fault, seconds] of Object.entries(took)) {
        const shown = seconds.map((each) => each.toFixed(1)).join(' ');
        process.stderr.write(`standby: lease ${LEASE_SECONDS} s, ${fault}, served again after (s): ${shown}\n`);
        expect(seconds).toHaveLength(scaled(20, 1));
      }
      await atHead();
      // Given back in order: the other need not wait for anything.
      const [active, standby] = await settled();
      await active.program.interrupt();
      await isIn(standby, 'active');
      builder.mine(3);
      await atHead();
      const published = await groups();
      const tables = storeTables(store, CHAIN).generation(1);
      const isInTables = async () => ((await tables.readCheckpoint())?.seq ?? -1) >= published.length - 1;
      await until('all of it in the tables', isInTables, { everyMs: 100, howFar: words });
      await standby.program.interrupt();

      expect(await groups()).toHaveLength(published.length);
      expectLog(published, builder);
      await sameFacts(published.length - 1);
      await compareWithUninterrupted(log, store, published);
    },
    LIMIT_MS,
  );

  /** A fold that was not disturbed compares each group of facts, byte for byte. */
  async function sameFacts(lastSeq: number): Promise<void> {
    const home = new HeapHome(foldSpaces);
    const fold = new ProjectStage({ log, chain: CHAIN, epoch: EPOCH, foldVersion, home });
    await runUntil(fold, async () => (fold.status().seq ?? -1) >= lastSeq);
    expect(fold.status().detail.compared).toBe(lastSeq + 1);
  }
});
