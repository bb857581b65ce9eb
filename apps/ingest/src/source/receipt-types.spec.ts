import { ChainBuilder, type ChainBuilderOptions } from '#libs/devkit/chain-builder/chain-builder.js';
import { caughtUp, reached, SourceHarness, seed } from './test/harness.js';
import { expectLog } from './test/log-checks.js';

/**
 * Chains whose blocks begin with a receipt of a type of their own. The tampering changes amounts in logs, which no bloom
 * covers: only the receipts root, or another node, shows it.
 */
let harness: SourceHarness;
beforeEach(async () => {
  harness = await SourceHarness.open();
});
afterEach(() => harness.close());

const DEPOSIT = { type: '0x7e', depositNonce: '0x3d3bbf', depositReceiptVersion: '0x1' };
const INTERNAL = { type: '0x6a' };
const UNKNOWN = { type: '0x7d' };

/** Of logs, the data alone: what the bloom does not cover. */
const AMOUNTS = { alterLogRate: 1, consistentTampering: true };

/**
 * Nodes that answer however long they take: one that does not answer in time has no say, and of two nodes the other would
 * be taken at its word.
 */
const start = (urls: string[]) => harness.start(urls, { options: { rpc: { timeoutMs: 600_000 } } });

function chainOf(firstReceipt: ChainBuilderOptions['firstReceipt']): ChainBuilder {
  const chain = new ChainBuilder({ seed, transactions: [2, 4], firstReceipt });
  chain.mine(20);
  return chain;
}

describe(`receipt types (seed ${seed})`, () => {
  it.each([
    ['deposits of the OP stack', DEPOSIT],
    ['internal transactions of Arbitrum', INTERNAL],
  ])('amounts are proven over %s', async (_, firstReceipt) => {
    const chain = chainOf(firstReceipt);
    const honest = await harness.serve(chain);
    const tampering = await harness.serve(chain);
    const running = start([tampering.url, honest.url]);
    await caughtUp(harness, running, chain);
    Object.assign(tampering.faults, AMOUNTS);
    for (let mined = 0; mined < 6 || running.stage.status().distrusted === 0; mined++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    expectLog(await harness.groups(), chain);
    expect(running.stage.status()).toMatchObject({ unproven: 0, unknownReceiptTypes: [] });
  });

  it('a type without a known root is shown, and one node alone is believed', async () => {
    const chain = chainOf(UNKNOWN);
    const node = await harness.serve(chain);
    const running = start([node.url]);
    await caughtUp(harness, running, chain);
    chain.mine(3);
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    const { unproven, unknownReceiptTypes, distrusted } = running.stage.status();
    expect(unproven).toBeGreaterThanOrEqual(1);
    expect([unknownReceiptTypes, distrusted]).toEqual([['0x7d'], 0]);
  });

  it('with a second node it is published when both give the same receipts, and not before', async () => {
    const chain = chainOf(UNKNOWN);
    const [honest, tampering] = [await harness.serve(chain), await harness.serve(chain)];
    const running = start([honest.url, tampering.url]);
    await caughtUp(harness, running, chain);
    expect(running.stage.status()).toMatchObject({ unproven: 0, unknownReceiptTypes: ['0x7d'], distrusted: 0 });
    Object.assign(tampering.faults, AMOUNTS);
    // A block whose logs carry no data leaves nothing to alter: it is published, and the next one is asked for.
    let before = chain.head.number;
    for (;;) {
      chain.mine(1);
      await reached(running, (stage) => stage.status().head !== before || stage.status().distrusted >= 2);
      if (running.stage.status().distrusted > 0) break;
      before = chain.head.number;
    }
    expect(running.stage.status().head).toBe(before);
    Object.assign(tampering.faults, { alterLogRate: 0 });
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    expect(running.stage.status().unproven).toBe(0);
  });

  it('of three nodes, what two give is published', async () => {
    const chain = chainOf(UNKNOWN);
    const nodes = await Promise.all([0, 1, 2].map(() => harness.serve(chain)));
    const running = start(nodes.map(({ url }) => url));
    await caughtUp(harness, running, chain);
    Object.assign(nodes[0]!.faults, AMOUNTS);
    for (let mined = 0; mined < 6 || running.stage.status().distrusted === 0; mined++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    expectLog(await harness.groups(), chain);
    expect(running.stage.status().unproven).toBe(0);
  });

  it('a node cannot escape the proof by naming an unknown type', async () => {
    const chain = chainOf(undefined);
    const honest = await harness.serve(chain);
    const tampering = await harness.serve(chain);
    const running = start([tampering.url, honest.url]);
    await caughtUp(harness, running, chain);
    Object.assign(tampering.faults, { ...AMOUNTS, receiptType: '0x7d' });
    for (let mined = 0; mined < 6 || running.stage.status().distrusted === 0; mined++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    expectLog(await harness.groups(), chain);
    expect(running.stage.status()).toMatchObject({ unproven: 0 });
  });
});
