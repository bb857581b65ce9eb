import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FaultProxy } from '#apps/ingest/src/source/solana/test/fault-proxy.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { BlocksGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { Happened } from '../live/happened.js';
import { LiveWorld } from '../live/live-world.js';
import { BusyMarket } from './busy-market.js';
import { readTruth } from './chain-truth.js';
import { drawFaults, groupsOf, RestartedSource } from './restarted-source.js';
import { checkLog } from './truth-checks.js';

/**
 * Invariant 5 of docs/architecture.md on what a real source made of a local Solana chain: a client that only applies frames
 * of trades and candles holds exactly what the REST functions answer at the same block.
 */
const seed = testSeed();
const MOVES = 60;
const WORLDS = Math.max(4, Math.round(40 * scale));
const MOST_WORLDS = 80;
const LIMIT_MS = 600_000;

let groups: BlocksGroup[];
let reference: ReferenceSet;
const happened: Happened = {};

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tidepool-solana-live-'));
  const market = await BusyMarket.start(seed, 30);
  const proxy = await FaultProxy.start(market, seed);
  const log = await openEmbeddedLog({ dir: join(dir, 'log') });
  const source = new RestartedSource(log, join(dir, 'source'), [proxy.url, proxy.socketUrl]);
  source.start();
  try {
    await source.caughtUp(market.rpcUrl);
    for (let n = 0; n < MOVES; n++) {
      if (market.random.chance(0.2)) drawFaults(market.random, proxy);
      if (market.random.chance(0.05)) await source.restart();
      market.move();
      if (market.random.chance(0.5)) {
        proxy.faults.lagSlots = 0;
        await source.caughtUp(market.rpcUrl);
      } else await delay(market.random.int(30));
    }
    proxy.faults.lagSlots = 0;
    await source.caughtUp(market.rpcUrl);
    await source.stop();
    groups = await groupsOf(log);
    checkLog(groups, await readTruth(market.rpcUrl));
  } finally {
    await source.stop();
    await proxy.close();
    await market.stop();
    await log.close();
    await removeFolder(dir);
  }
  const [epoch] = groups;
  if (epoch?.kind !== 'epoch') throw new Error('the first group is no epoch');
  reference = epoch.reference;
  expect(groups.filter(({ kind }) => kind === 'retract').length).toBeGreaterThan(0);
}, LIMIT_MS);

async function runWorld(schedule: number): Promise<void> {
  const world = new LiveWorld({ history: { groups, reference }, seed: schedule, happened });
  await world.run();
  expect({ seed, schedule, problems: world.problems }).toEqual({ seed, schedule, problems: [] });
}

describe(`live trades and candles of a local Solana chain (seed ${seed})`, () => {
  it.each(Array.from({ length: WORLDS }, (_, nth) => seed + nth))('schedule %i', runWorld, LIMIT_MS);

  it(
    'has seen what it is about',
    async () => {
      const rare = ['snapshot', 'trades', 'candles', 'retract', 'lagged', 'resumed', 'compared at rest'];
      const missing = (): string[] => rare.filter((what) => (happened[what] ?? 0) === 0);
      // What comes by chance may take a few schedules more.
      for (let nth = WORLDS; missing().length > 0 && nth < MOST_WORLDS; nth++) await runWorld(seed + nth);
      expect({ seed, never: missing(), happened }).toEqual({ seed, never: [], happened });
    },
    LIMIT_MS,
  );
});
