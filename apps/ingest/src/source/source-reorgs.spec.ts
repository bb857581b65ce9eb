import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { until } from '#libs/devkit/testing/until.js';
import { caughtUp, reached, SourceHarness, scale, seed } from './test/harness.js';
import { expectLog } from './test/log-checks.js';

let harness: SourceHarness;
beforeEach(async () => {
  harness = await SourceHarness.open();
});
afterEach(() => harness.close());

describe(`source stage and reorganizations (seed ${seed})`, () => {
  const histories = Math.max(2, Math.ceil(20 * scale));
  it.each(Array.from({ length: histories }, (_, n) => n))('random history %i with restarts', async (n) => {
    const random = new SeededRandom(seed + n);
    const chain = new ChainBuilder({ seed: seed + n, transactions: [0, 3] });
    chain.mine(random.between(20, 120));
    const rpc = await harness.serve(chain, { finalityDepth: random.between(4, 64) });
    const urls = n % 2 === 0 ? [rpc.url, rpc.wsUrl] : [rpc.url];
    let running = harness.start(urls);
    // A chain that only went back contradicts nothing: the stage rightly keeps the blocks above until others take their place.
    let onlyWentBack = false;
    for (let step = 0; step < 12; step++) {
      const deepest = Math.min(64, chain.head.number - 12);
      const action = random.int(6);
      let restartedOnly = false;
      if (action === 0) chain.mine(random.between(1, 80));
      else if (action === 1) chain.mine(1);
      else if (action === 2) chain.reorg(random.between(1, 3), random.between(1, 5));
      else if (action === 3) chain.reorg(random.between(1, deepest), random.between(1, 90));
      else if (action === 4) chain.rewind(chain.head.number - random.between(0, Math.min(3, deepest)));
      else {
        await running.stop();
        if (random.int(2) === 0) chain.reorg(random.between(1, deepest));
        else restartedOnly = true;
        running = harness.start(urls);
      }
      // Sometimes the chain moves on before the stage has seen the last change.
      onlyWentBack = action === 4 || (onlyWentBack && restartedOnly);
      if (random.int(3) > 0 && !onlyWentBack) await caughtUp(harness, running, chain);
    }
    chain.mine(1 + chain.head.number < 100 ? 80 : 5);
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    await running.stop();
  });

  it('goes back below its sealed height, and to the first block of the epoch', async () => {
    const chain = new ChainBuilder({ seed: seed + 100, transactions: [0, 2] });
    chain.mine(200);
    const rpc = await harness.serve(chain, { finalityDepth: 2 });
    const reorgs: [number, boolean][] = [];
    const running = harness.start([rpc.url], {
      startHeight: 50,
      observer: { reorg: (depth, belowSealed) => reorgs.push([depth, belowSealed]) },
    });
    await caughtUp(harness, running, chain);
    chain.reorg(64, 66);
    await caughtUp(harness, running, chain);
    chain.reorg(chain.head.number - 49, 120);
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain, { from: 50 });
    expect(reorgs[0]).toEqual([64, true]);
    expect(reorgs.length).toBeGreaterThanOrEqual(2);
    expect(running.stage.status().epoch).toBe(1);
  });

  it('builds another epoch when the chain leaves the published one below its first block', async () => {
    const chain = new ChainBuilder({ seed: seed + 101, transactions: [0, 2] });
    chain.mine(100);
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url], { startHeight: 60 });
    await caughtUp(harness, running, chain);
    chain.reorg(chain.head.number - 30, 100);
    await harness.built(running, 2, chain);
    const before = await harness.groups(1);
    expect(running.stage.status()).toMatchObject({ epoch: 1, building: { epoch: 2, head: chain.head.number } });
    await harness.serveEpoch(2);
    await reached(running, (stage) => stage.status().epoch === 2);
    chain.mine(3);
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(2), chain, { from: 60 });
    expect(await harness.groups(1)).toEqual(before);
  });

  it('takes no lower head for a reorganization', async () => {
    const chain = new ChainBuilder({ seed: seed + 102 });
    chain.mine(60);
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url]);
    await caughtUp(harness, running, chain);
    for (const height of [chain.head.number - 1, chain.head.number - 30, 0]) {
      rpc.setHead(height);
      const before = rpc.stats.httpRequests;
      await until('looks at the head', () => rpc.stats.httpRequests >= before + 5);
      expect(running.stage.status()).toMatchObject({ reorgs: 0, head: chain.head.number });
    }
    rpc.setHead(null);
    chain.mine(2);
    await caughtUp(harness, running, chain);
    expect(running.stage.status().reorgs).toBe(0);
    expectLog(await harness.groups(), chain);
  });

  it('sees a reorganization that ends at the same height or lower', async () => {
    const chain = new ChainBuilder({ seed: seed + 103 });
    chain.mine(60);
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url]);
    await caughtUp(harness, running, chain);
    chain.reorg(2, 2);
    await caughtUp(harness, running, chain);
    chain.reorg(5, 2);
    await caughtUp(harness, running, chain);
    expect(running.stage.status().reorgs).toBe(2);
    expectLog(await harness.groups(), chain);
  });
});
