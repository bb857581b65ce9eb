import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FaultProxy } from '#apps/ingest/src/source/solana/test/fault-proxy.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { MarketClient } from '../../multi-process/market-client.js';
import { buildPrograms, endPrograms, PROJECT, Program } from '../../multi-process/program.js';
import { compareWithUninterrupted } from '../kill-checks.js';
import { EPOCH, projectAll, publishHistory, sinkAll } from '../real-pipeline.js';
import { BusyMarket } from './busy-market.js';
import { confirmedHead, readTruth } from './chain-truth.js';
import { groupsOf } from './restarted-source.js';
import { checkAnswers, checkLog } from './truth-checks.js';

/**
 * Invariant 3 of docs/architecture.md on Solana: the built program is killed with `kill -9` again and again, while it
 * starts and while it works, and the chain continues and forks meanwhile. The result is the same as without kills.
 */
const seed = testSeed();
const KILLS = Math.max(4, Math.round(40 * scale));
const LIMIT_MS = 240_000 + KILLS * 60_000;

let dir: string;
let market: BusyMarket;
let proxy: FaultProxy;

beforeAll(async () => {
  buildPrograms();
  dir = await mkdtemp(join(tmpdir(), 'tidepool-solana-kill-'));
  mkdirSync(join(dir, 'empty'));
  market = await BusyMarket.start(seed, 80);
  proxy = await FaultProxy.start(market, seed);
}, LIMIT_MS);

afterAll(async () => {
  await endPrograms();
  await proxy?.close();
  await market?.stop();
  await removeFolder(dir);
}, LIMIT_MS);

const data = (name: string): string => join(dir, 'data', name);

function start(): Program {
  const ports = ['BASE', 'SOL', 'RELAY', 'API', 'WS', 'RPC', 'ADMIN'].map((name) => [`TIDEPOOL_${name}_PORT`, '0']);
  return new Program({
    args: [join(PROJECT, 'dist/apps/all-in-one/src/main.js')],
    cwd: join(dir, 'empty'),
    env: {
      ...Object.fromEntries(ports),
      ...{ TIDEPOOL_DATA_DIR: join(dir, 'data'), TIDEPOOL_CHAINS: 'sol', TIDEPOOL_START_SOL: '0' },
      TIDEPOOL_RPC_SOL: `${proxy.url},${proxy.socketUrl}`,
    },
  });
}

/** Makes slots until the returned function is called. */
function live(): () => Promise<void> {
  const stop = new AbortController();
  const ended = (async () => {
    while (!stop.signal.aborted) {
      market.move();
      if (market.random.chance(0.05)) proxy.cut();
      await delay(80);
    }
  })();
  return async () => {
    stop.abort();
    await ended;
  };
}

/** Half of the kills come while the program starts, half while it works. */
async function killOnce(nth: number): Promise<string> {
  const { random } = market;
  const program = start();
  const working = nth % 2 === 0;
  const afterMs = random.int(working ? 2_500 : 5_000);
  if (working) await program.logged('listening');
  await delay(afterMs);
  expect(await program.kill9()).toBe('SIGKILL');
  return `${afterMs} ms after its ${working ? 'listening' : 'start'}`;
}

async function factsOf(log: EventLog): Promise<string[]> {
  const found: string[] = [];
  const options = { fromSeq: 0, signal: new AbortController().signal, untilEnd: true };
  for await (const batch of log.readGroups(factsTopic('sol', EPOCH, foldVersion), options)) {
    for (const { seq, value } of batch) found.push(`${seq} ${Buffer.from(value).toString('base64')}`);
  }
  return found;
}

it(
  `killed ${KILLS} times, it loses nothing and doubles nothing (seed ${seed}) (long)`,
  async () => {
    const kills: string[] = [];
    const rest = live();
    try {
      for (let nth = 0; nth < KILLS; nth++) kills.push(await killOnce(nth));
    } finally {
      await rest();
    }
    const context = { seed, kills };
    const program = start();
    const { api } = (await program.logged('listening')) as unknown as { api: string };
    const client = new MarketClient(api, readFileSync(data('demo-key'), 'utf8').trim());
    const head = await confirmedHead(market.rpcUrl);
    await program.until(`the block ${head}`, async () => {
      return solanaIds.parseAddress((await client.chain('sol')).head?.blockHash ?? '') === head;
    });
    const truth = await readTruth(market.rpcUrl);
    await checkAnswers({ client, market }, truth, 6);
    expect({ ...context, ended: await program.interrupt() }).toEqual({ ...context, ended: 0 });

    const log = await openEmbeddedLog({ dir: data('log') });
    const groups = await groupsOf(log);
    checkLog(groups, truth);

    // The next start of the fold agrees with every group that the killed ones left.
    await projectAll(log, 'sol');
    const calm = await openEmbeddedLog({ dir: join(dir, 'calm') });
    await publishHistory(calm, groups);
    await projectAll(calm, 'sol');
    expect({ ...context, facts: await factsOf(log) }).toEqual({ ...context, facts: await factsOf(calm) });
    await calm.close();

    const store = await openChdbStore({ dir: data('store') });
    try {
      const last = (await log.lastGroup(factsTopic('sol', EPOCH, foldVersion)))!.seq;
      const written = await storeTables(store, 'sol').generation(1).readCheckpoint();
      if ((written?.seq ?? -1) < last) await sinkAll(log, store, 'sol', 1);
      await compareWithUninterrupted(log, store, groups);
    } finally {
      await store.close();
      await log.close();
    }
  },
  LIMIT_MS,
);
