import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { FaultSettings } from '#libs/devkit/chain-faults/fault-settings.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { caughtUp, SourceHarness, scale, seed } from '../test/harness.js';
import { expectLog } from '../test/log-checks.js';
import { HISTORY_WAYS, type HistoryWay } from './history.js';

let harness: SourceHarness;
beforeEach(async () => {
  harness = await SourceHarness.open();
});
afterEach(() => harness.close());

const random = new SeededRandom(seed);
/** Once it is caught, a node is not asked again within a test. */
const LONG_MS = 600_000;

/** What the log says of each block, without how it was read. */
const contents = (groups: readonly BlocksGroup[]): unknown[] =>
  groups.flatMap((group) => {
    if (group.kind !== 'block') return [];
    const { source: _s, observedAt: _o, proof: _p, seq: _q, ...content } = group;
    return [content];
  });

describe(`the completeness of history (seed ${seed})`, () => {
  it.each<[string, Partial<FaultSettings>]>([
    ['a log of each third block', { dropLogRate: 0.3 }],
    ['all logs of each third block', { emptyLogsRate: 0.3 }],
    ['the same logs by every method', { dropLogRate: 0.3, consistentTampering: true }],
  ])(
    'misses nothing at default sampling where a node leaves out %s',
    async (_, faults) => {
      for (let run = 0; run < Math.max(2, 300 * scale); run++) {
        const own = await SourceHarness.open();
        try {
          const chain = new ChainBuilder({ seed: random.int(2 ** 31), transactions: [1, 3] });
          chain.mine(50 + random.int(50));
          const liar = await own.serve(chain, faults);
          const honest = await own.serve(chain);
          const urls = random.chance(0.5) ? [liar.url, honest.url] : [honest.url, liar.url];
          const running = own.start(urls, { options: { history: { sampleEvery: 256 } } });
          await caughtUp(own, running, chain);
          expectLog(await own.groups(), chain);
        } finally {
          await own.close();
        }
      }
    },
    600_000,
  );

  it('misses nothing where the only node leaves out logs of ranges', async () => {
    const chain = new ChainBuilder({ seed, transactions: [1, 3] });
    chain.mine(200);
    const node = await harness.serve(chain, { dropLogRate: 0.05 });
    const running = harness.start([node.url], { options: { history: { sampleEvery: 256 } } });
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    expect(running.stage.status().gaps).toBeGreaterThan(0);
    expect(running.stage.status().rpcErrors).toBeGreaterThanOrEqual(0);
  });

  it('takes altered data back once a sample shows it, below what is sealed too', async () => {
    const chain = new ChainBuilder({ seed, transactions: [2, 4] });
    chain.mine(300);
    const honest = await harness.serve(chain);
    const liar = await harness.serve(chain, { alterLogRate: 0.5, consistentTampering: true });
    const running = harness.start([liar.url, honest.url], {
      options: { history: { sampleEvery: 6 }, rpc: { coolDownMs: LONG_MS, maxCoolDownMs: LONG_MS } },
    });
    await caughtUp(harness, running, chain);
    const groups = await harness.groups();
    expectLog(groups, chain);
    expect(running.stage.status().distrusted).toBeGreaterThan(0);
  });

  it('publishes the same by every way of reading', async () => {
    const chain = new ChainBuilder({ seed, transactions: [1, 3] });
    chain.mine(150);
    const read = async (way: HistoryWay): Promise<unknown[]> => {
      const own = await SourceHarness.open();
      try {
        const node = await own.serve(chain);
        const running = own.start([node.url], { options: { history: { way } } });
        await caughtUp(own, running, chain);
        const groups = await own.groups();
        expectLog(groups, chain);
        const proofs = new Set(groups.flatMap((group) => (group.kind === 'block' ? [group.proof] : [])));
        expect(proofs.has(way === 'ranges' ? 'sampled' : 'full')).toBe(true);
        return contents(groups);
      } finally {
        await own.close();
      }
    };
    const [first, ...others] = await Promise.all(HISTORY_WAYS.map(read));
    for (const other of others) expect(other).toEqual(first);
  });

  it('says how each block was proven, and reads every one by its receipts where that is wanted', async () => {
    const chain = new ChainBuilder({ seed, transactions: [1, 3] });
    chain.mine(100);
    const node = await harness.serve(chain);
    const running = harness.start([node.url], { options: { proof: 'every' } });
    await caughtUp(harness, running, chain);
    const groups = await harness.groups();
    expectLog(groups, chain);
    for (const group of groups) if (group.kind === 'block') expect(group.proof).toBe('full');
  });

  it('reads by other ways where no node gives logs of ranges, or receipts of blocks', async () => {
    for (const missingMethods of [['eth_getLogs'], ['eth_getBlockReceipts'], ['eth_getLogs', 'eth_getBlockReceipts']]) {
      const own = await SourceHarness.open();
      try {
        const chain = new ChainBuilder({ seed, transactions: [1, 2] });
        chain.mine(80);
        const node = await own.serve(chain, { missingMethods });
        const running = own.start([node.url]);
        await caughtUp(own, running, chain);
        expectLog(await own.groups(), chain);
      } finally {
        await own.close();
      }
    }
  });

  it('asks each node for what it has: one has dropped its past, the other lacks receipts', async () => {
    const chain = new ChainBuilder({ seed, transactions: [1, 2] });
    chain.mine(150);
    const pruned = await harness.serve(chain, { oldestBlock: 100 });
    const archive = await harness.serve(chain, { missingMethods: ['eth_getBlockReceipts'] });
    const running = harness.start([pruned.url, archive.url]);
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
  });

  it('names what no node has', async () => {
    const chain = new ChainBuilder({ seed, transactions: [1, 2] });
    chain.mine(150);
    const pruned = await harness.serve(chain, { oldestBlock: 100 });
    const running = harness.start([pruned.url, (await harness.serve(chain, { oldestBlock: 120 })).url]);
    const missing = (): string => running.stage.status().missing.join('\n');
    const { until } = await import('#libs/devkit/testing/until.js');
    await until('it is named', async () => /TIDEPOOL_RPC_ETH has logs of a range below block/.test(missing()), {
      howFar: () => running.stage.status(),
    });
  });
});
