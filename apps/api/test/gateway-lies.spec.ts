import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { GatewayHarness } from './gateway-harness.js';
import { GatewayOverNodes } from './gateway-over-nodes.js';

/** A node whose answers are inconsistent is caught where a hash, a root or a bloom proves it, and what it said is not kept. */
describe('the gateway over a node that lies and one that does not', () => {
  let chain: ChainBuilder;
  let over: GatewayOverNodes;
  let gateway: GatewayHarness;

  beforeEach(async () => {
    chain = new ChainBuilder({ seed: 5 });
    chain.mine(80);
    over = await GatewayOverNodes.start(chain);
    gateway = over.gateway;
  });
  afterEach(() => over.close());

  const asked = (node: 0 | 1, method: string) => over.asked(node, method);
  const call = (method: string, params: unknown[] = []) => over.call(method, params);
  const hashOf = (height: number) => over.hashOf(height);

  it('takes no header that its hash proves wrong where another node has the right one, and keeps none', async () => {
    const [liar, other] = over.nodes;
    liar.faults.wrongBloomRate = 1;
    const right = (height: number) => chain.canonicalBlocks()[height]!.header.logsBloom;
    const bloom = async (height: number) => {
      const { result, error } = await call('eth_getBlockByHash', [hashOf(height), false]);
      return error?.code ?? (result.logsBloom === right(height) ? 'right' : 'wrong');
    };
    // Before any header of the chain has proved itself, and after.
    expect([await bloom(7), await bloom(8)]).toEqual(['right', 'right']);
    expect(asked(0, 'eth_getBlockByHash')).toBeGreaterThan(0);
    expect(JSON.stringify(gateway.logged)).toContain('a header that does not have its hash');
    // An inconsistent response is no answer where there is no other one either.
    other.faults.cutRate = 1;
    expect([await bloom(8), await bloom(9)]).toEqual(['right', -32603]);
    liar.faults.wrongBloomRate = 0;
    expect(await bloom(9)).toBe('right');
    // Of a chain that has shown none with its hash it may be that it hashes them otherwise: given, and not kept.
    const alone = await GatewayHarness.start({ eth: [liar.url] });
    try {
      liar.faults.wrongBloomRate = 1;
      const ask = () => alone.call('/eth', 'eth_getBlockByHash', [hashOf(10), false]);
      expect((await ask()).result.logsBloom).not.toBe(right(10));
      liar.faults.wrongBloomRate = 0;
      expect((await ask()).result.logsBloom).toBe(right(10));
    } finally {
      await alone.close();
    }
  });

  it('takes no receipts and no logs that the header of their block speaks against, and keeps none', async () => {
    const [liar, other] = over.nodes;
    const honest = await startFaultRpc({ chain });
    const heights = chain
      .canonicalBlocks()
      .flatMap(({ number, receipts }) => (receipts.filter(({ logs }) => logs.length > 0).length > 0 ? [number] : []));
    const truth = async (method: string, params: unknown[]): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      return ((await (await fetch(honest.url, { method: 'POST', headers, body })).json()) as { result: unknown })
        .result;
    };
    const questions = (height: number): [string, unknown[]][] => [
      ['eth_getBlockReceipts', [hashOf(height)]],
      ['eth_getLogs', [{ blockHash: hashOf(height) }]],
    ];
    try {
      const lies = [{ dropLogRate: 1 }, { duplicateLogRate: 1 }, { alterLogRate: 1 }, { emptyLogsRate: 1 }] as const;
      let caught = 0;
      for (const [n, lie] of lies.entries()) {
        Object.assign(liar.faults, { dropLogRate: 0, duplicateLogRate: 0, alterLogRate: 0, emptyLogsRate: 0, ...lie });
        for (const [method, params] of questions(heights[n]!)) {
          // Of a log the bloom has the address and the topics: neither its data nor how often it is there.
          if (method === 'eth_getLogs' && !('emptyLogsRate' in lie)) continue;
          const right = await truth(method, params);
          expect({ lie, method, result: (await call(method, params)).result }).toEqual({ lie, method, result: right });
          caught++;
        }
      }
      expect(caught).toBe(lies.length + 1);
      expect(JSON.stringify(gateway.logged)).toContain('receipts whose root is not that of their block');
      expect(JSON.stringify(gateway.logged)).toContain('logs whose bloom is not that of their block');
      // What was proved is kept: nothing is asked again, not even for the header.
      const [before, headers] = [asked(1, 'eth_getBlockReceipts'), asked(0, 'eth_getBlockByHash')];
      const [first] = questions(heights[0]!);
      expect((await call(...first!)).result).toEqual(await truth(...first!));
      expect([asked(1, 'eth_getBlockReceipts'), asked(0, 'eth_getBlockByHash')]).toEqual([before, headers]);
      // A are where there is no other answer is given, as some chains show more than their roots hold, and is not kept.
      other.faults.cutRate = 1;
      const [receipts] = questions(heights.at(-1)!);
      expect((await call(...receipts!)).result).not.toEqual(await truth(...receipts!));
      Object.assign(liar.faults, { emptyLogsRate: 0 });
      expect((await call(...receipts!)).result).toEqual(await truth(...receipts!));
    } finally {
      await honest.close();
    }
  });
});
