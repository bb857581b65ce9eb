import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { type FaultRpc, NO_FAULTS, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { GatewayOverNodes } from './gateway-over-nodes.js';

/**
 * Random calls through the gateway are answered with the bytes of a node that never fails, while the node that the gateway prefers
 * dies, hangs up, lags, prunes and comes back, blocks are mined and taken back.
 */
const HASH = `0x${'ab'.repeat(32)}`;

function randomCall(random: SeededRandom, chain: ChainBuilder): { method: string; params: unknown[] } {
  const blocks = chain.canonicalBlocks();
  const block = random.pick(random.chance(0.5) ? blocks.slice(-4) : blocks);
  const height = `0x${random.chance(0.9) ? block.number.toString(16) : (chain.head.number + 5).toString(16)}`;
  const hash = random.chance(0.9) ? block.hash : HASH;
  const tag = random.pick(['latest', 'latest', 'safe', 'finalized', 'earliest', height, height]);
  const address = `0x${random.hex(20)}`;
  const full = random.chance(0.3);
  const from = `0x${Math.max(0, block.number - random.below(4)).toString(16)}`;
  return random.pick([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_gasPrice', params: [] },
    { method: 'eth_getBlockByNumber', params: [tag, full] },
    { method: 'eth_getBlockByHash', params: [hash, full] },
    { method: 'eth_getBlockReceipts', params: [random.pick([tag, hash])] },
    {
      method: 'eth_getLogs',
      params: [random.chance(0.5) ? { blockHash: block.hash } : { fromBlock: from, toBlock: height }],
    },
    { method: 'eth_getCode', params: [address, tag] },
    { method: 'eth_getBalance', params: [address, random.pick([tag, { blockHash: block.hash }])] },
    { method: 'eth_getTransactionByHash', params: [random.pick([HASH, ...block.transactions.map((tx) => tx.hash)])] },
    { method: 'eth_getTransactionReceipt', params: [random.pick([HASH, ...block.transactions.map((tx) => tx.hash)])] },
    { method: 'eth_getBlockByNumber', params: ['nonsense', 7] },
    { method: 'eth_getBlockByHash', params: ['0x12', full] },
  ]);
}

const randomId = (random: SeededRandom): string =>
  random.pick([
    String(random.below(1_000)),
    '123456789012345678901234567890',
    '-0.50e2',
    JSON.stringify(`id "${random.below(9)}" é🌊`),
  ]);

/** What may be wrong with the node that the gateway prefers; the other one is well. */
const TROUBLES: Readonly<Record<string, (random: SeededRandom) => Partial<FaultRpc['faults']>>> = {
  none: () => ({}),
  cut: () => ({ cutRate: 1 }),
  truncated: () => ({ truncateRate: 1 }),
  failing: () => ({ errorRate: 1 }),
  lagging: (random) => ({ lagBlocks: 8 + random.below(20) }),
  pruned: () => ({ stateDepth: 2 }),
};

/** Where two texts differ; -1: nowhere. */
function firstDifference(one: string, other: string): number {
  if (one === other) return -1;
  let at = 0;
  while (one[at] === other[at]) at++;
  return at;
}

it('gives the bytes of a node that never fails, whatever happens to one of the nodes', async () => {
  await withSeed('random calls', async (random) => {
    const chain = new ChainBuilder({ seed: random.below(2 ** 30) });
    chain.mine(40);
    const truth = await startFaultRpc({ chain });
    const over = await GatewayOverNodes.start(chain);
    const {
      gateway,
      nodes: [preferred],
    } = over;
    const met = new Set<string>();
    try {
      const direct = async (body: string): Promise<string> =>
        (await fetch(truth.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).text();
      const least = scaled(10_000, 600);
      let compared = 0;
      for (let round = 0; compared < least || met.size < Object.keys(TROUBLES).length; round++) {
        expect(round).toBeLessThan(2_000);
        if (random.chance(0.3)) chain.mine(1 + random.below(3));
        else if (random.chance(0.1)) chain.reorg(1 + random.below(3));
        const trouble = random.pick(Object.keys(TROUBLES));
        Object.assign(preferred.faults, NO_FAULTS, TROUBLES[trouble]!(random));
        const before = preferred.stats.httpRequests;
        const calls = Array.from({ length: 12 }, () => ({ id: randomId(random), ...randomCall(random, chain) }));
        const wanted = await Promise.all(
          calls.map(async ({ id, method, params }) => {
            const said = await direct(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
            return said.replace('"id":1,', `"id":${id},`);
          }),
        );
        const bodies = calls.map(
          ({ id, method, params }) =>
            `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`,
        );
        const given = random.chance(0.5)
          ? await Promise.all(bodies.map(async (body) => (await gateway.post('/eth', body)).text))
          : [(await gateway.post('/eth', `[${bodies.join(',')}]`)).text];
        const expected = given.length === 1 ? [`[${wanted.join(',')}]`] : wanted;
        for (const [n, text] of given.entries()) {
          const at = firstDifference(text, expected[n]!);
          const near = (whole: string) => whole.slice(Math.max(0, at - 200), at + 200);
          if (at >= 0) expect({ trouble, near: near(text) }).toEqual({ trouble, near: near(expected[n]!) });
        }
        compared += calls.length;
        // While it is left alone after a failure nothing is asked of it.
        if (preferred.stats.httpRequests > before) met.add(trouble);
      }
      // The nodes' troubles are in the log alone, and never their addresses.
      expect(gateway.logged.length).toBeGreaterThan(0);
      expect(JSON.stringify(gateway.logged)).not.toContain('127.0.0.1');
    } finally {
      await over.close();
      await truth.close();
    }
  });
}, 600_000);
