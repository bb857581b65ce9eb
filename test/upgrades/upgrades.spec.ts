import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '#libs/devkit/testing/guarded-server.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { SeededRandom, testScale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { type ClickHouseEndpoint, startClickHouseEndpoint } from '#libs/pipeline/store/test/clickhouse-endpoint.js';
import { buildPrograms, endPrograms, Program } from '../multi-process/program.js';
import { WalkRefused } from './clients.js';
import { type Ground, UpgradeRun } from './upgrade-run.js';
import { type ProgramVersion, ProgramVersions } from './versions.js';

/**
 * One version of the program after the other over the same data, as processes that are killed, while the chain grows and is
 * reorganized, a client walks pages and another follows frames. Invariant: every list and every frame is that of one version
 * at one block, whole and in order.
 */
const seed = testSeed();
const KILLS = testScale >= 1 ? { embedded: 20, kafka: 3 } : { embedded: 2, kafka: 2 };
const LIMIT_MS = 600_000 + KILLS.embedded * 120_000;

let versions: ProgramVersions;
beforeAll(async () => {
  buildPrograms();
  versions = await ProgramVersions.make();
}, LIMIT_MS);
afterAll(async () => {
  await endPrograms();
  versions?.remove();
}, LIMIT_MS);

/** The same steps on each ground; what they leave behind is looked at in the end. */
function upgradesOn(
  open: () => Promise<Ground>,
  kills: number,
  /** The API lives through it: lists that were begun before are read on. */
  listsLive: boolean,
): void {
  let run: UpgradeRun;
  const random = new SeededRandom(seed);

  let failed = false;
  const traced = (work: () => Promise<void>) => async () => {
    if (failed) throw new Error('a step before failed');
    try {
      await work();
      expect(run.problems()).toEqual([]);
    } catch (error) {
      failed = true;
      (error as Error).message = `TIDEPOOL_TEST_SEED=${seed}\n${run?.trace.join('\n')}\n${(error as Error).message}`;
      throw error;
    }
  };
  const step = (name: string, work: () => Promise<void>) => it(name, traced(work), LIMIT_MS);

  afterAll(async () => {
    await run?.close();
  }, LIMIT_MS);

  step('the first version is served', async () => {
    run = new UpgradeRun(await open(), random);
    await run.begin(versions.all[0]!);
  });

  for (const name of ['decoder changed', 'projection added', 'projection changed', 'table changed']) {
    step(`${name}: ${kills} kills`, async () => {
      const version = versions.named(name);
      const generation = versions.all.indexOf(version) + 1;
      const { epoch, foldVersion } = version;
      const plan = await run.plan(version);
      expect(plan.steps.map(({ to }) => to)).toEqual([{ epoch, foldVersion, generation }]);
      const begun = await run.walker.begin();
      await run.install(version, kills);
      // A list that was begun before is read on, or refused: never continued with rows of another version.
      await run.walker.finish(begun).catch((error: unknown) => {
        if (listsLive || !(error instanceof WalkRefused)) throw error;
      });
      expect((await run.plan(version)).steps).toEqual([]);
    });
  }

  /** A version that was served before continues what it built then. */
  const continues = async (name: string, times: number): Promise<void> => {
    const version = versions.named(name);
    const { epoch, foldVersion } = version;
    await run.stop();
    const [step, ...more] = (await run.plan(version)).steps;
    expect(more).toEqual([]);
    expect(step).toMatchObject({
      kind: 'facts',
      to: { epoch, foldVersion, generation: versions.all.indexOf(version) + 1 },
    });
    expect(step!.groupsLeft).toBeLessThan(step!.groups);
    await run.install(version, times);
  };

  step(`rollback: ${kills} kills`, () => continues('projection changed', kills));

  step(`two versions in turn: ${kills} kills`, async () => {
    const turns = ['table changed', 'projection changed', 'table changed'];
    // Every turn has its share of the kills, and continues its own build instead of one from the first block.
    for (const name of turns) await continues(name, Math.ceil(kills / turns.length));
  });

  step('clients read and followed all the while, and kills met builds', async () => {
    expect(run.walker.walked).toBeGreaterThan(versions.all.length);
    expect(run.follower.frames).toBeGreaterThan(run.follower.snapshots);
    expect(run.killsInBuilds).toBeGreaterThan(0);
  });
}

const common = {
  TIDEPOOL_CHAINS: 'eth',
  TIDEPOOL_START_ETH: '0',
  TIDEPOOL_ADMIN_PORT: '0',
  TIDEPOOL_WS_PORT: '0',
  TIDEPOOL_RPC_PORT: '0',
  TIDEPOOL_SOL_PORT: '0',
  TIDEPOOL_RELAY_PORT: '0',
  TIDEPOOL_BASE_PORT: '0',
  TIDEPOOL_INSERT_SECONDS: '0',
};

/** The command line of a version. */
const tidepoolArgs = (version: ProgramVersion, argv: readonly string[]): string[] => {
  const main = JSON.stringify(pathToFileURL(join(version.folder, 'dist/apps/cli/src/main.js')).href);
  const code = `const { main } = await import(${main}); process.exitCode = await main(process.argv.slice(1));`;
  return ['--input-type=module', '-e', code, '--', ...argv];
};

const args = (version: ProgramVersion, app: string): string[] => [
  join(version.folder, 'dist/apps', app, 'src/main.js'),
];

describe(`upgrades over the embedded log and chDB (seed ${seed}) (long)`, () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-upgrades-'));
  let log: EventLog | undefined;
  const open = async (): Promise<Ground> => {
    const port = await freePort();
    const [cwd, data] = [join(root, 'cwd'), join(root, 'data')];
    mkdirSync(cwd);
    const envOf = (rpcUrl: string) => ({
      ...common,
      ...{ TIDEPOOL_DATA_DIR: data, TIDEPOOL_API_PORT: String(port), TIDEPOOL_RPC_ETH: rpcUrl },
    });
    const keyFile = join(data, 'demo-key');
    return {
      start: (version, rpcUrl) => new Program({ args: args(version, 'all-in-one'), env: envOf(rpcUrl), cwd }),
      tidepool: (version, rpcUrl, ...argv) =>
        new Program({ args: tidepoolArgs(version, argv), env: envOf(rpcUrl), cwd }),
      log: async () => {
        if (log === undefined && existsSync(keyFile)) log = await openEmbeddedLog({ dir: join(data, 'log') });
        return log ?? null;
      },
      address: () => ({ url: `http://127.0.0.1:${port}`, key: readFileSync(keyFile, 'utf8').trim() }),
    };
  };
  upgradesOn(open, KILLS.embedded, false);

  // After the hook of the steps, which ends the program that writes here.
  afterAll(async () => {
    await log?.close();
    removeFolderSync(root);
  }, LIMIT_MS);
});

describeWithKafka(`upgrades over Kafka and ClickHouse (seed ${seed}) (long)`, () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-upgrades-'));
  let broker: KafkaBroker | undefined;
  let clickhouse: ClickHouseEndpoint | undefined;
  let log: EventLog | undefined;
  const open = async (): Promise<Ground> => {
    mkdirSync(join(root, 'cwd'));
    broker = await startKafkaBroker();
    clickhouse = await startClickHouseEndpoint({ dir: join(root, 'clickhouse') });
    const { brokers } = broker;
    const kafka = await openKafkaLog({ brokers, clientId: 'spec' });
    log = kafka;
    const servers = { TIDEPOOL_KAFKA_BROKERS: brokers.join(','), CLICKHOUSE_URL: clickhouse.url };
    const envOf = (app: string, own: Record<string, string>) => ({
      ...{ ...common, ...servers, ...own, TIDEPOOL_DATA_DIR: join(root, app) },
    });
    const cwd = join(root, 'cwd');
    // One API of the first version for all of it: it reads what newer versions write, and its clients never lose it.
    const api = new Program({
      args: args(versions.all[0]!, 'api'),
      env: envOf('api', { TIDEPOOL_API_PORT: '0' }),
      cwd,
    });
    const { url } = await api.logged('market-data API is listening');
    const key = readFileSync(join(root, 'api', 'demo-key'), 'utf8').trim();
    const ingest = (rpcUrl: string) => envOf('ingest', { TIDEPOOL_RPC_ETH: rpcUrl });
    return {
      start: (version, rpcUrl) => new Program({ args: args(version, 'ingest'), env: ingest(rpcUrl), cwd }),
      tidepool: (version, rpcUrl, ...argv) =>
        new Program({ args: tidepoolArgs(version, argv), env: ingest(rpcUrl), cwd }),
      log: async () => kafka,
      address: () => ({ url: url as string, key }),
    };
  };
  upgradesOn(open, KILLS.kafka, true);

  afterAll(async () => {
    await log?.close();
    await endPrograms();
    await clickhouse?.close();
    await broker?.stop();
    removeFolderSync(root);
  }, LIMIT_MS);
});
