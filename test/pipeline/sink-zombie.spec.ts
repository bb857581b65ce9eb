import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import { type SinkTables, storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openClickHouseStore } from '#libs/pipeline/store/clickhouse-store.js';
import { seqTables } from '#libs/pipeline/store/market/journals.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { type ClickHouseEndpoint, startClickHouseEndpoint } from '#libs/pipeline/store/test/clickhouse-endpoint.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { compareWithUninterrupted } from './kill-checks.js';
import { EPOCH, projectAll, publishHistory, runUntil } from './real-pipeline.js';

/**
 * A sink that sleeps between its look at the lease and what it then does, for so long that another one has taken over, gone on,
 * and the engine has forgotten the tokens of the batch. Each thing that it does to the tables is slept before once.
 */
const seed = testSeed(11);

type Work = 'insert' | 'removeRows' | 'writeCheckpoint' | 'seal';
const works: readonly Work[] = ['insert', 'removeRows', 'writeCheckpoint', 'seal'];

describe(`a sink that slept before it wrote (seed ${seed})`, () => {
  let dir: string;
  let log: EventLog;
  let endpoint: ClickHouseEndpoint;
  let store: AnalyticsStore;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-zombie-'));
    log = await openEmbeddedLog({ dir: join(dir, 'log') });
    endpoint = await startClickHouseEndpoint({ dir: join(dir, 'clickhouse') });
    store = await openClickHouseStore({ url: endpoint.url });
  });
  afterAll(async () => {
    await store?.close();
    await endpoint?.close();
    await log?.close();
    await removeFolder(dir);
  });

  const sinkOf = (chain: string, tables: SinkTables, over: Partial<ConstructorParameters<typeof SinkStage>[0]> = {}) =>
    new SinkStage({
      ...{ log, tables, chain, epoch: EPOCH, foldVersion, generation: 1, minIntervalMs: 0 },
      ...{ maxGroups: 9, sealEveryMs: 60_000, ...over },
    });

  /** A history in the log, and how far its facts reach. */
  async function history(chain: string): Promise<BlocksGroup[]> {
    const { groups } = randomHistory(seed, { chain, groups: 36, deepest: 3 });
    await publishHistory(log, groups);
    await projectAll(log, chain);
    return groups;
  }

  async function forgetTokens(chain: string): Promise<void> {
    const { database } = new MarketTables(store, chain, 1);
    for (const table of seqTables) {
      await store.command(`ALTER TABLE ${database}.${table} MODIFY SETTING non_replicated_deduplication_window = 1`);
    }
  }

  it('is refused by the engine: insert', () => sleepsBefore('insert'));

  it.each(works.slice(1))('is refused by the engine: %s (long)', (work) => sleepsBefore(work));

  it('is refused by the engine: flip of what is served', async () => {
    const chain = 'zflip';
    const to = { generation: 2, epoch: EPOCH, foldVersion, seq: 7 };
    let [sleeping, wake] = [false, (): void => undefined];
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const sleepy = Object.create(store, {
      insert: {
        value: async (...insert: Parameters<AnalyticsStore['insert']>) => {
          sleeping = true;
          await slept;
          await store.insert(...insert);
        },
      },
    }) as AnalyticsStore;
    const tables = storeTables(store, chain);
    await tables.flipPointer({ ...to, generation: 1 });
    const zombie = storeTables(sleepy, chain).flipPointer(to);
    zombie.catch(() => undefined);
    await until('it sleeps', () => sleeping);
    await tables.flipPointer({ ...to, generation: 3 });
    wake();
    await expect(zombie).rejects.toMatchObject({ code: 'fenced' });
    expect(await tables.readPointer()).toMatchObject({ version: 2, generation: 3 });
  });

  async function sleepsBefore(work: Work): Promise<void> {
    const chain = `z${works.indexOf(work)}`;
    const groups = await history(chain);
    const last = groups.at(-1)!.seq;
    const real = storeTables(store, chain).generation(1);
    let sleeping = false;
    let wake: () => void = () => undefined;
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    // Somewhere in the middle, right before the work itself.
    let passes = work === 'insert' || work === 'removeRows' ? 9 : work === 'seal' ? 0 : 1;
    const sleepBefore = async (): Promise<void> => {
      if (sleeping || passes-- > 0) return;
      sleeping = true;
      await slept;
    };
    const tables: SinkTables = {
      ...real,
      insert: async (batch, token) => {
        if (work === 'insert') await sleepBefore();
        if (work === 'removeRows' && !sleeping && passes-- <= 0) {
          sleeping = true;
          await slept;
          const times = { from: 0, to: Number.MAX_SAFE_INTEGER };
          const [, from, to] = /\.(\d+)-(\d+)$/.exec(token)!;
          await real.removeRows(batch.table, Number(from), Number(to), times);
        }
        await real.insert(batch, token);
      },
      writeCheckpoint: async (checkpoint) => {
        if (work === 'writeCheckpoint') await sleepBefore();
        await real.writeCheckpoint(checkpoint);
      },
      seal: async (checkpoint, toTime) => {
        if (work === 'seal') await sleepBefore();
        await real.seal(checkpoint, toTime);
      },
    };
    const zombie = sinkOf(chain, tables, work === 'seal' ? { sealEveryMs: 1 } : {}).run(new AbortController().signal);
    zombie.catch(() => undefined);
    await until('it sleeps', () => sleeping);

    await forgetTokens(chain);
    let reached = -1;
    const heir = sinkOf(chain, storeTables(store, chain).generation(1), {
      onCheckpoint: ({ seq }) => {
        reached = seq;
      },
    });
    await runUntil(heir, async () => reached >= last);
    wake();
    await expect(zombie).rejects.toMatchObject({ code: 'fenced' });
    await compareWithUninterrupted(log, store, groups);
  }
});
