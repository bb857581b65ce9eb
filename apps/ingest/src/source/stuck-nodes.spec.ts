import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { FleetNode } from '#libs/devkit/testing/node-fleet/fleet-node.js';
import { stuckAt } from '#libs/devkit/testing/node-fleet/heads.js';
import { caughtUp, SourceHarness, seed } from './test/harness.js';
import { expectLog } from './test/log-checks.js';

const BLOCKS = 100;

describe(`nodes that stopped following the chain (seed ${seed})`, () => {
  it('are left for the last one that follows it, and not waited for again', async () => {
    const harness = await SourceHarness.open();
    const chain = new ChainBuilder({ seed, transactions: [0, 2] });
    chain.mine(BLOCKS);
    const { url } = await harness.serve(chain, { finalityDepth: 5 });
    const honest = { family: 'evm' as const, url, head: async () => chain.head.number };
    const stuck = await Promise.all(
      [0.9, 0.9, 0.8].map((share, n) =>
        FleetNode.start(honest, [{ name: 'stuck', family: 'evm', rule: stuckAt(share) }], seed + n),
      ),
    );
    try {
      const urls = [...stuck.map((node) => node.url), url];
      const running = harness.start(urls, { options: { watch: { staleMs: 100 } } });
      await caughtUp(harness, running, chain);
      for (let n = 0; n < 20; n++) {
        chain.mine(1);
        await caughtUp(harness, running, chain);
      }
      expectLog(await harness.groups(), chain);
      expect(stuck.every(({ struck }) => (struck.stuck ?? 0) > 0)).toBe(true);
    } finally {
      await harness.close();
      await Promise.all(stuck.map((node) => node.close()));
    }
  });
});
