import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { ProxyFaults } from './test/fault-proxy.js';
import { SolanaHarness, scale, seed } from './test/solana-harness.js';

let harness: SolanaHarness;
beforeEach(async () => {
  harness = await SolanaHarness.open({ finalizedDepth: 12 });
});
afterEach(() => harness.close());

const nearby = { historyThreshold: 20, historyMargin: 10 };

/** Slots, skips and forks by chance, mostly blocks. */
function change(random: SeededRandom): void {
  const { chain } = harness;
  const kind = random.int(10);
  if (kind === 0) chain.skip(random.between(1, 30));
  else if (kind < 3) chain.fork(random.between(1, 8), { sameSlots: random.chance(0.5) });
  else harness.grow(random.between(1, 3), random.int(3));
}

describe(`Solana source (seed ${seed})`, () => {
  it('reads history with skipped slots, then follows the head that is pushed', async () => {
    harness.grow(60, 2);
    harness.chain.skip(70);
    harness.grow(60);
    const running = harness.start([harness.chain.rpcUrl, harness.chain.wsUrl], nearby);
    await harness.caughtUp(running);
    const sources = async () =>
      [...new Set((await harness.groups()).flatMap((group) => (group.kind === 'block' ? [group.source] : [])))].sort();
    for (let n = 0; n < 5 || (n < 500 && (await sources()).length < 3); n++) {
      harness.grow(1, 3);
      if (n % 2 === 0) await harness.caughtUp(running);
      if (n === 2) harness.chain.skip(3);
    }
    await harness.caughtUp(running);
    const groups = await harness.expectLog();
    expect(await sources()).toEqual(['history', 'http', 'stream']);
    expect(groups.some((group) => group.kind === 'finalize')).toBe(true);
    await until('both nodes', () => running.source.nodes().every(({ ok }) => ok));
    expect(running.source.nodes()).toEqual([
      { transport: 'http', ok: true, problem: null },
      { transport: 'ws', ok: true, problem: null },
    ]);
  });

  it.each([
    ['with pushed blocks', {}, true],
    ['with pushed slots alone', { hideBlocks: true }, true],
    ['by asking alone', {}, false],
  ] as [string, Partial<ProxyFaults>, boolean][])(
    'ends with the surviving chain, however it forks, skips and loses connections: %s',
    async (_, faults, sockets) => {
      const random = new SeededRandom(seed);
      harness.grow(30);
      const proxy = await harness.proxy(faults);
      const urls = sockets ? [proxy.url, proxy.socketUrl] : [proxy.url];
      let running = harness.start(urls, nearby);
      let retracts = 0;
      for (let n = 0; n < Math.ceil(250 * scale); n++) {
        change(random);
        if (random.chance(0.1)) proxy.cut();
        if (random.chance(0.06)) {
          await running.stop();
          running = harness.start(urls, nearby);
        }
        if (random.chance(0.3)) await harness.caughtUp(running);
        else await delay(random.int(15));
      }
      await harness.caughtUp(running);
      harness.chain.fork(3, { sameSlots: true });
      await harness.caughtUp(running);
      for (const group of await harness.expectLog()) if (group.kind === 'retract') retracts++;
      expect(retracts).toBeGreaterThan(0);
    },
  );

  it.each<[string, Partial<ProxyFaults>]>([
    ['HTTP 429', { rateLimitRate: 0.1 }],
    ['HTTP 500', { serverErrorRate: 0.1 }],
    ['a node that says it is behind', { behindRate: 0.1 }],
    ['cut connections', { dropRate: 0.1 }],
    ['delays', { delayRate: 0.3, delayMs: 15 }],
    ['wrong parent hashes', { lieParentRate: 0.15 }],
    ['blocks that are said to be skipped', { missingRate: 0.1 }],
    ['old tips', { staleTipRate: 0.4 }],
    ['a node that lags', { lagSlots: 3 }],
    ['swallowed pushes', { dropPushRate: 0.5 }],
    ['refused versions of transactions', { oldVersions: true }],
  ])('one node with faults: %s', async (_, faults) => {
    const random = new SeededRandom(seed);
    harness.grow(40);
    const proxy = await harness.proxy(faults);
    // A node that lags can only be seen to catch up when blocks are pushed by another.
    const socket = faults.lagSlots ? harness.chain.wsUrl : proxy.socketUrl;
    const running = harness.start([proxy.url, socket], nearby);
    const struck = (): number => {
      const names = Object.keys(faults).map((name) => name.replace('Rate', ''));
      return names.reduce((sum, name) => sum + (proxy.counts[name] ?? 0), 0);
    };
    for (let n = 0; n < Math.ceil(60 * scale) || (struck() === 0 && !faults.lagSlots && n < 300); n++) {
      change(random);
      await delay(random.int(20));
    }
    proxy.faults.lagSlots = 0;
    harness.grow(1);
    await harness.caughtUp(running);
    await harness.expectLog();
  });

  it('distrusts the node that contradicts itself, and takes the truth from the next', async () => {
    harness.grow(30);
    const liar = await harness.proxy();
    const running = harness.start([liar.url, harness.chain.rpcUrl], nearby);
    await harness.caughtUp(running);
    liar.faults.lieParentRate = 1;
    harness.grow(3);
    await harness.caughtUp(running);
    const groups = await harness.expectLog();
    expect(running.lies).toEqual(expect.arrayContaining([expect.stringContaining('has another hash')]));
    expect(running.lies.join()).not.toContain('127.0.0.1');
    expect(groups.some((group) => group.kind === 'retract')).toBe(false);
  });

  it('takes a lower head and a silent node for no fork, and leaves a node that stays behind', async () => {
    harness.grow(30);
    const first = await harness.proxy();
    const running = harness.start([first.url, harness.chain.rpcUrl], { ...nearby, watch: { staleMs: 100 } });
    await harness.caughtUp(running);
    first.faults.lagSlots = 15;
    harness.grow(4);
    await harness.caughtUp(running);
    const groups = await harness.expectLog();
    expect(groups.some((group) => group.kind === 'retract')).toBe(false);
    expect(running.lies).toEqual([]);
  });

  it('follows a fork below the sealed block', async () => {
    const deep = await SolanaHarness.open({ finalizedDepth: 200 });
    try {
      deep.grow(40);
      const proxy = await deep.proxy();
      const running = deep.start([proxy.url], { ...nearby, historyMargin: 0 });
      await deep.caughtUp(running);
      proxy.faults.finalizedTip = true;
      deep.grow(20);
      await deep.caughtUp(running);
      await until('a seal', () => (running.publisher?.sealedHeight ?? 0) >= 20);
      proxy.faults.finalizedTip = false;
      deep.chain.fork(50, { sameSlots: true });
      await deep.caughtUp(running);
      const groups = await deep.expectLog();
      const sealed = Math.max(...groups.map((group) => (group.kind === 'finalize' ? group.height : 0)));
      const deepest = Math.min(...groups.map((group) => (group.kind === 'retract' ? group.height : sealed)));
      expect(deepest).toBeLessThan(sealed);
    } finally {
      await deep.close();
    }
  });

  it('starts at a wished slot that is skipped, from the parent of the first block above it', async () => {
    harness.grow(10);
    harness.chain.skip(20);
    harness.grow(30);
    const running = harness.start([harness.chain.rpcUrl], { ...nearby, from: 20 });
    await harness.caughtUp(running);
    const [opening] = await harness.expectLog(20);
    expect(opening).toMatchObject({ kind: 'epoch', height: 10, reference: { startHeight: 20, family: 'solana' } });
    await running.stop();
    const again = harness.start([harness.chain.rpcUrl], { ...nearby, from: 20 });
    harness.grow(2);
    await harness.caughtUp(again);
    await harness.expectLog(20);
  });

  it('names another chain by its genesis hash, and a configuration without a node that answers', async () => {
    harness.grow(5);
    const running = harness.start([harness.chain.rpcUrl], nearby);
    await harness.caughtUp(running);
    const signal = new AbortController().signal;
    await expect(running.source.checkGenesis('ab'.repeat(32), signal)).rejects.toMatchObject({ code: 'epoch_broken' });
    expect(() => harness.start(['ws://127.0.0.1:1'])).toThrow('no HTTP RPC endpoint is configured');
  });
});
