import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolderExecutor } from '#apps/cli/src/executor.js';
import { main } from '#apps/cli/src/main.js';
import { createOperations } from '#libs/app/operations/operations.js';
import type { ChainPlan } from '#libs/app/operations/upgrade/upgrade-plan.js';
import { ownReference } from '#libs/chain/catalogue/own-reference.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { type FaultRpc, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import type { OwnVersion } from '#libs/pipeline/epochs/next-epoch.js';
import { buildRateRecord, readAcceptedCut, servedRecord } from '#libs/pipeline/epochs/served-epoch.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldHomeIn } from '#libs/pipeline/fold/fold-home.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { serveAdminSocket } from '#libs/platform/admin-socket.js';
import { openDataFolder } from '#libs/platform/data-folder.js';
import { silentLogger } from '#libs/platform/logger.js';
import { programVersion } from '#libs/platform/program-version.js';
import type { BlocksGroup, EpochGroup } from '#libs/protocol/blocks.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import { projectAll, publishHistory, sinkAll } from './real-pipeline.js';

/**
 * What `tidepool upgrade` says of a data folder, asked while an instance holds it and while none does. Both give the same
 * plan, and asking changes nothing.
 */
const START = 30;
let root: string;
let dir: string;
let rpc: FaultRpc;
let chain: ChainBuilder;

interface Opened {
  log: EventLog;
  store: AnalyticsStore;
}

/** Does `work` while this process holds the folder; with a socket the command line asks it. */
async function holding<T>(work: (opened: Opened) => Promise<T>, withSocket = false): Promise<T> {
  const folder = await openDataFolder({ dir, version: programVersion(), holder: 'npm start' });
  const log = await openEmbeddedLog({ dir: folder.path('log') });
  const store = await openChdbStore({ dir: folder.path('store') });
  const operations = createOperations({ log, store: async () => store, stateDir: dir, chains: ['eth'] });
  const socket = withSocket ? await serveAdminSocket({ dataDir: dir, operations, logger: silentLogger }) : null;
  try {
    return await work({ log, store });
  } finally {
    await socket?.close();
    await store.close();
    await log.close();
    await folder.close();
  }
}

/** A history as this program's own decoders would have recorded it, or others. */
function history(decoderVersion: number): BlocksGroup[] {
  const { groups } = randomHistory(11, { chain: 'eth', family: 'evm', groups: 60, startHeight: START, deepest: 3 });
  const [first, ...rest] = groups as [EpochGroup, ...BlocksGroup[]];
  const reference = { ...first.reference, ...ownReference(eth), decoderVersion };
  return [{ ...first, reference }, ...rest];
}

async function fill(decoderVersion: number): Promise<void> {
  await holding(async ({ log, store }) => {
    const groups = history(decoderVersion);
    await publishHistory(log, groups);
    await projectAll(log, 'eth', foldHomeIn(dir, { chain: 'eth', epoch: 1, foldVersion }, { commitThread }));
    await sinkAll(log, store, 'eth', 1);
    await storeTables(store, 'eth').flipPointer({ generation: 1, epoch: 1, foldVersion, seq: -1 });
    await write(log, servedRecord('eth', { epoch: 1, foldVersion }));
  });
}

async function write(log: EventLog, record: ReturnType<typeof servedRecord>): Promise<void> {
  await log.ensureTopics([epochsTopic]);
  const writer = await log.openWriter('spec');
  await writer.append([record]);
  await writer.close();
}

async function tidepool(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    stdin: [] as unknown as AsyncIterable<string>,
    stdout: { write: (text: string | Uint8Array) => void out.push(String(text)) },
    stderr: { write: (text: string | Uint8Array) => void err.push(String(text)) },
    signal: new AbortController().signal,
  };
  const env = { TIDEPOOL_DATA_DIR: dir, TIDEPOOL_CHAINS: 'eth', TIDEPOOL_RPC_ETH: rpc.url };
  const code = await main(argv, { ...io, executor: new DataFolderExecutor(io, env) });
  return { code, out: out.join(''), err: err.join('') };
}

const planOf = async (own: Partial<OwnVersion> = {}): Promise<ChainPlan> =>
  holding(async ({ log, store }) => {
    const operations = createOperations({ log, store: async () => store, stateDir: dir, chains: ['eth'] });
    const chains = { eth: { ...ownReference(eth), foldVersion, startHeight: null, ...own } };
    const io = { signal: new AbortController().signal, progress: () => undefined, line: async () => undefined };
    const answer = (await operations['upgrade.plan']!({ chains, tables: ['blocks', 'trades', 'boards'] }, io)) as {
      chains: ChainPlan[];
    };
    return answer.chains[0]!;
  });

/** All that a plan might have changed. */
const contents = (): Promise<unknown> =>
  holding(async ({ log, store }) => ({
    topics: await log.describe(),
    records: [...(await log.readCompacted(epochsTopic))].map(([key, value]) => [key, Buffer.from(value).toString()]),
    tables: await store.query(
      "SELECT database, name FROM system.tables WHERE startsWith(database, 'md_') ORDER BY 1, 2",
    ),
  }));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidepool-plan-'));
  chain = new ChainBuilder({ seed: 7, transactions: [0, 2] });
  chain.mine(100);
  rpc = await startFaultRpc({ chain, faults: { seed: 1 } });
});
let count = 0;
beforeEach(() => {
  dir = join(root, `d${count++}`);
});
afterAll(async () => {
  await rpc.close();
  await removeFolder(root);
});

const own = ownReference(eth).decoderVersion;

it('says that nothing is rebuilt, and that nothing is there yet', async () => {
  await holding(async () => undefined);
  expect(await tidepool('upgrade', '--plan')).toMatchObject({
    code: 0,
    out: expect.stringContaining('nothing is served yet'),
  });
  await fill(own);
  const { code, out } = await tidepool('upgrade', '--plan');
  expect([code, out]).toEqual([0, expect.stringContaining(`eth: e1.f${foldVersion} (generation 1) is served`)]);
  expect(out).toContain('nothing is rebuilt');
  const refused = await tidepool('upgrade', '--accept-cut', 'eth', '40');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('no other epoch is to be read')]);
}, 120_000);

it('a changed fold: from the log, with sizes, time and generation, the same running and stopped', async () => {
  await fill(own);
  const before = await contents();
  const next = { foldVersion: foldVersion + 1 };
  const plan = await planOf(next);
  expect(plan.served).toMatchObject({ epoch: 1, foldVersion, generation: 1, startHeight: history(own)[1]!.height });
  expect(plan.steps).toHaveLength(1);
  const [step] = plan.steps;
  expect(step).toMatchObject({
    ...{ kind: 'facts', topic: 'blocks.eth.e1', groups: 61, groupsLeft: 61, staysFresh: false },
    to: { epoch: 1, foldVersion: foldVersion + 1, generation: 2 },
    timeFrom: { how: 'assumed', words: expect.stringContaining('4 MB of blocks a second') },
  });
  expect([step!.tables, step!.newTables]).toEqual([['blocks', 'trades', 'boards'], ['boards']]);
  for (const bytes of Object.values(step!.bytes)) expect(bytes).toBeGreaterThan(0);
  expect(step!.seconds).toBeGreaterThan(0);
  expect(await contents()).toEqual(before);

  await holding(({ log }) => write(log, buildRateRecord('eth', 'facts', { perSecond: 2, done: 100, seconds: 50 })));
  expect((await planOf(next)).steps[0]).toMatchObject({
    seconds: 31,
    timeFrom: { how: 'measured', words: expect.stringContaining('2 groups a second') },
  });
}, 120_000);

it('changed decoders: read again from the nodes, and the cut where these lack old blocks', async () => {
  await fill(own - 1);
  const before = await contents();
  const stopped = await tidepool('upgrade', '--plan', '--json');
  expect(stopped.err).toBe('');
  const running = await holding(() => tidepool('upgrade', '--plan', '--json'), true);
  expect(JSON.parse(running.out)).toEqual(JSON.parse(stopped.out));
  const [plan] = JSON.parse(stopped.out).chains;
  expect(plan.steps).toMatchObject([
    {
      ...{ kind: 'epoch', topic: null, reason: `decoders of version ${own} instead of ${own - 1}`, staysFresh: true },
      to: { epoch: 2, foldVersion, generation: 2 },
      startHeight: plan.served.startHeight,
    },
  ]);
  expect(plan.steps[0].tables).toEqual(expect.arrayContaining(['blocks', 'trades', 'trades_by_quote', 'candles']));
  expect(plan.steps[0].newTables).toEqual([]);
  expect(plan.nodes).toEqual({ oldest: plan.served.startHeight, problem: null, cut: null });
  const needless = await tidepool('upgrade', '--accept-cut', 'eth');
  expect([needless.code, needless.err]).toEqual([1, expect.stringContaining('its nodes serve every block')]);

  const oldest = plan.served.startHeight + 10;
  expect(plan.served.height).toBeGreaterThan(oldest);
  rpc.faults.oldestBlock = oldest;
  const { out } = await tidepool('upgrade', '--plan');
  expect(out).toContain(`the nodes serve blocks from ${oldest} on`);
  const named = Number(/--accept-cut eth (\d+)/.exec(out)?.[1]);
  expect(named).toBeGreaterThanOrEqual(oldest);
  expect(await contents()).toEqual(before);
  for (const [height, words] of [
    [String(oldest - 1), /nodes serve blocks from/],
    [String(plan.served.startHeight), /begins at block .* already/],
    ['999999', /a cut above it would leave none/],
  ] as const) {
    const refused = await tidepool('upgrade', '--accept-cut', 'eth', height);
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(words)]);
  }
  expect(await contents()).toEqual(before);

  const accepted = await holding(() => tidepool('upgrade', '--accept-cut', 'eth'), true);
  expect(accepted).toMatchObject({ code: 0, out: expect.stringContaining(`may begin at block ${named}`) });
  expect(await holding(({ log }) => readAcceptedCut(log, 'eth'))).toBe(named);
  const after = await tidepool('upgrade', '--plan');
  expect(after.out).toContain(`history may begin at block ${named}, as was accepted`);
  expect((await tidepool('upgrade', '--accept-cut', 'eth', String(oldest))).code).toBe(0);
  expect(await holding(({ log }) => readAcceptedCut(log, 'eth'))).toBe(oldest);
  rpc.faults.oldestBlock = null;
}, 120_000);

it.each([
  [['upgrade'], /say either --plan or --accept-cut/],
  [['upgrade', '--plan', '--accept-cut', 'eth'], /say either --plan or --accept-cut/],
  [['upgrade', '--plan', '5'], /unexpected argument "5"/],
  [['upgrade', '--accept-cut'], /accept-cut/],
  [['upgrade', '--accept-cut', 'doge'], /"doge" is not indexed here: use eth/],
])('%j is refused with exit code 2', async (argv, words) => {
  const ran = await tidepool(...argv);
  expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringMatching(words)]);
});
