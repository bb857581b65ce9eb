import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { caughtUp, reached, SourceHarness, scale, seed } from './test/harness.js';
import { expectLog } from './test/log-checks.js';
import { lossyLog } from './test/lossy-log.js';

let harness: SourceHarness;
beforeEach(async () => {
  harness = await SourceHarness.open();
});
afterEach(() => harness.close());

const BOUNDARIES = ['source.before-fence', 'source.after-fence', 'source.before-append', 'source.after-append'];

describe(`source stage and crashes (seed ${seed})`, () => {
  it.each(BOUNDARIES)('a zombie held at %s is fenced when it wakes and has written nothing', async (boundary) => {
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(100);
    const rpc = await harness.serve(chain);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hits = 0;
    let reachedBoundary = false;
    const dataDir = `${harness.dir}/zombie`;
    // A first start fences twice, before it looks and before it opens the epoch: this one is a restart.
    if (boundary === 'source.after-fence') {
      const before = harness.start([rpc.url], { dataDir });
      await caughtUp(harness, before, chain);
      await before.stop();
      hits = 1;
    }
    const zombie = harness.start([rpc.url], {
      dataDir,
      steps: async (name) => {
        if (name !== boundary || ++hits < (boundary === 'source.before-fence' ? 1 : 2)) return;
        reachedBoundary = true;
        await held;
      },
    });
    await endsFenced(zombie);

    async function endsFenced(stage: typeof zombie): Promise<void> {
      await reached(stage, () => reachedBoundary);
      const live = harness.start([rpc.url]);
      await caughtUp(harness, live, chain);
      release();
      if (boundary === 'source.before-fence') {
        // It had not fenced yet: now it takes over, lawfully, and the other one is the one that stops.
        chain.mine(1);
        await expect(live.ended).rejects.toMatchObject({ code: 'fenced' });
        await caughtUp(harness, stage, chain);
      } else {
        chain.mine(2);
        await expect(stage.ended).rejects.toMatchObject({ code: 'fenced' });
        await caughtUp(harness, live, chain);
      }
      expectLog(await harness.groups(), chain);
    }
  });

  it('starts over at every boundary, again and again, and loses or doubles nothing', async () => {
    const random = new SeededRandom(seed);
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(100);
    const rpc = await harness.serve(chain);
    const failed = new Set<string>();
    const running = harness.start([rpc.url], {
      maxAppendBytes: 20_000,
      steps: async (name) => {
        if (random.int(3) > 0) return;
        failed.add(name);
        throw new Error(`failed at ${name}`);
      },
    });
    await caughtUp(harness, running, chain);
    // Each boundary fails now and then: it continues until all of them did, and several times.
    const enough = () => failed.size === BOUNDARIES.length && running.stage.status().restarts > 4;
    for (let i = 0; i < Math.ceil(60 * scale) || (i < 300 && !enough()); i++) {
      if (random.int(4) === 0) chain.reorg(random.between(1, 20));
      else chain.mine(random.between(1, 4));
      await caughtUp(harness, running, chain);
    }
    expectLog(await harness.groups(), chain);
    expect([...failed].sort()).toEqual([...BOUNDARIES].sort());
    expect(running.stage.status().restarts).toBeGreaterThan(4);
  });

  it('reads the log again after every append with unknown outcome', async () => {
    const random = new SeededRandom(seed + 1);
    const chain = new ChainBuilder({ seed: seed + 1, transactions: [0, 3] });
    chain.mine(150);
    const rpc = await harness.serve(chain);
    const fates = { 'lost-before': 0, 'lost-after': 0, done: 0 };
    const log = lossyLog(harness.log, () => {
      const fate = (['lost-before', 'lost-after', 'done', 'done'] as const)[random.int(4)]!;
      fates[fate]++;
      return fate;
    });
    const running = harness.start([rpc.url], { log, maxAppendBytes: 20_000 });
    await caughtUp(harness, running, chain);
    const lost = () => Math.min(fates['lost-before'], fates['lost-after']) > 0;
    for (let i = 0; i < Math.ceil(100 * scale) || (i < 300 && !lost()); i++) {
      if (random.int(3) === 0) chain.reorg(random.between(1, 30));
      else chain.mine(random.between(1, 4));
      await caughtUp(harness, running, chain);
    }
    expectLog(await harness.groups(), chain);
    expect(fates['lost-before']).toBeGreaterThan(0);
    expect(fates['lost-after']).toBeGreaterThan(0);
  });

  it('of two stages on one log exactly one goes on', async () => {
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(100);
    const rpc = await harness.serve(chain);
    const first = harness.start([rpc.url]);
    await caughtUp(harness, first, chain);
    const second = harness.start([rpc.url], { dataDir: `${harness.dir}/second` });
    await caughtUp(harness, second, chain);
    chain.mine(3);
    await expect(first.ended).rejects.toMatchObject({ code: 'fenced' });
    await caughtUp(harness, second, chain);
    expectLog(await harness.groups(), chain);
    expect(first.stage.status()).toMatchObject({ state: 'stopped', lastError: expect.stringContaining('fenced') });
  });
});
