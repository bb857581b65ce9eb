import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import type { FaultSettings } from '#libs/devkit/chain-faults/fault-settings.js';
import { caughtUp, reached, SourceHarness, seed } from './test/harness.js';
import { expectLog } from './test/log-checks.js';

let harness: SourceHarness;
beforeEach(async () => {
  harness = await SourceHarness.open();
});
afterEach(() => harness.close());

/** Blocks after which a fault by chance must have struck: the rates make it far less. */
const MOST_BLOCKS = 500;

/** One node with the faults, through history, head and a reorg, and on until at least one fault has struck. */
async function surviveAlone(faults: Partial<FaultSettings>, blocks = 120): Promise<void> {
  const chain = new ChainBuilder({ seed, transactions: [0, 3] });
  chain.mine(blocks);
  const rpc = await harness.serve(chain, faults);
  const running = harness.start([rpc.url, rpc.wsUrl], { options: { rpc: { timeoutMs: 300 } } });
  await caughtUp(harness, running, chain);
  for (let i = 0; i < 4; i++) {
    if (i === 2) chain.reorg(3);
    else chain.mine(2);
    await caughtUp(harness, running, chain);
  }
  const seen = () => Object.values(rpc.stats.faults).reduce((sum, count) => sum + count, 0);
  for (let mined = 0; seen() === 0 && mined < MOST_BLOCKS; mined++) {
    chain.mine(1);
    await caughtUp(harness, running, chain);
  }
  expect(seen()).toBeGreaterThan(0);
  expectLog(await harness.groups(), chain);
  await running.stop();
}

describe(`source stage and bad nodes (seed ${seed})`, () => {
  it.each<[string, Partial<FaultSettings>]>([
    ['cut connections', { cutRate: 0.15 }],
    ['no answers', { dropRate: 0.05 }],
    ['truncated JSON', { truncateRate: 0.15 }],
    ['internal errors', { errorRate: 0.15 }],
    ['HTTP 429 with Retry-After', { rateLimitRate: 0.1, retryAfterSeconds: 0 }],
    ['-32005', { rpcRateLimitRate: 0.1 }],
    ['duplicated answers', { duplicateRate: 0.2 }],
    ['null blocks', { nullBlockRate: 0.02 }],
    ['a head that goes down', { headDownRate: 0.2, headDownBlocks: 5 }],
    ['delays', { delayRate: 0.3, delayMs: 20 }],
    ['swallowed notifications', { dropNotificationRate: 0.7 }],
  ])('%s', (_, faults) => surviveAlone(faults));

  it.each<[string, Partial<FaultSettings>]>([
    ['no eth_getBlockReceipts', { missingMethods: ['eth_getBlockReceipts'] }],
    ['at most 7 blocks a range (infura)', { maxLogRange: 7, limitErrors: 'infura' }],
    ['at most 7 blocks a range (alchemy)', { maxLogRange: 7, limitErrors: 'alchemy' }],
    ['at most 7 blocks a range (quicknode)', { maxLogRange: 7, limitErrors: 'quicknode' }],
    ['at most 7 blocks a range (plain)', { maxLogRange: 7, limitErrors: 'plain' }],
    ['at most 12 logs an answer', { maxLogResults: 12 }],
    ['fewer logs an answer than a block has', { maxLogResults: 1 }],
  ])('limits: %s', async (_, faults) => {
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(150);
    const rpc = await harness.serve(chain, faults);
    const running = harness.start([rpc.url]);
    await caughtUp(harness, running, chain);
    chain.mine(2);
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    expect(running.stage.status().distrusted).toBe(0);
  });

  it.each<[string, Partial<FaultSettings>]>([
    ['a dropped log', { dropLogRate: 0.5 }],
    ['no logs', { emptyLogsRate: 0.5 }],
    ['an altered log', { alterLogRate: 0.5 }],
    ['a log twice', { duplicateLogRate: 0.5 }],
    ['a wrong bloom', { wrongBloomRate: 0.5 }],
    ['the same lie on every method', { alterLogRate: 0.5, dropLogRate: 0.2, consistentTampering: true }],
  ])('never publishes a lie at the head: %s', async (_, faults) => {
    const chain = new ChainBuilder({ seed, transactions: [2, 4] });
    chain.mine(20);
    const honest = await harness.serve(chain);
    const liar = await harness.serve(chain);
    const running = harness.start([liar.url, honest.url]);
    await caughtUp(harness, running, chain);
    Object.assign(liar.faults, faults);
    const distrusted = () => running.stage.status().distrusted;
    for (let mined = 0; mined < 12 || (distrusted() === 0 && mined < MOST_BLOCKS); mined++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    expectLog(await harness.groups(), chain);
    expect(distrusted()).toBeGreaterThan(0);
    expect(running.stage.status().lastError).not.toContain('127.0.0.1');
  });

  it('finds lies in samples of history and takes the truth from the next node', async () => {
    const chain = new ChainBuilder({ seed, transactions: [2, 4] });
    chain.mine(150);
    const honest = await harness.serve(chain);
    const liar = await harness.serve(chain, { dropLogRate: 0.3, methods: null });
    const running = harness.start([liar.url, honest.url], {
      options: { history: { sampleEvery: 1 }, rpc: { coolDownMs: 2_000, maxCoolDownMs: 60_000 } },
    });
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    expect(running.stage.status().distrusted).toBeGreaterThan(0);
  });

  it('waits rather than publish from a node that only lies', async () => {
    const chain = new ChainBuilder({ seed, transactions: [3, 4] });
    chain.mine(20);
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url]);
    await caughtUp(harness, running, chain);
    const before = chain.head.number;
    rpc.faults.emptyLogsRate = 1;
    chain.mine(3);
    await reached(running, (stage) => stage.status().distrusted >= 2);
    expect(running.stage.status().head).toBe(before);
    rpc.faults.emptyLogsRate = 0;
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
  });

  it('leaves a stale node for one that is ahead, and comes back after a cool-down', async () => {
    const chain = new ChainBuilder({ seed });
    chain.mine(20);
    const first = await harness.serve(chain);
    const second = await harness.serve(chain);
    const running = harness.start([first.url, second.url], { options: { watch: { staleMs: 60 } } });
    await caughtUp(harness, running, chain);
    first.setHead(chain.head.number);
    chain.mine(5);
    await caughtUp(harness, running, chain);
    first.setHead(null);
    const asked = first.stats.methods.eth_getBlockReceipts ?? 0;
    for (let i = 0; i < 50 && (first.stats.methods.eth_getBlockReceipts ?? 0) === asked; i++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    expect(first.stats.methods.eth_getBlockReceipts).toBeGreaterThan(asked);
    expectLog(await harness.groups(), chain);
  });

  it('fails over when a node goes away for good', async () => {
    const chain = new ChainBuilder({ seed });
    chain.mine(100);
    const first = await harness.serve(chain);
    const second = await harness.serve(chain);
    const running = harness.start([first.url, first.wsUrl, second.url, second.wsUrl]);
    await caughtUp(harness, running, chain);
    await first.close();
    chain.mine(3);
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
  });

  it('does not use a node of another chain, and says so when there is no other', async () => {
    const chain = new ChainBuilder({ seed });
    chain.mine(10);
    const foreign = await harness.serve(new ChainBuilder({ seed, chainId: 56 }));
    const good = await harness.serve(chain);
    const running = harness.start([foreign.url, good.url]);
    await caughtUp(harness, running, chain);
    await running.stop();
    const alone = harness.start([foreign.url]);
    await expect(alone.ended).rejects.toMatchObject({ code: 'wrong_chain' });
  });
});
