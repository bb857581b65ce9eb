import { parse } from 'yaml';
import { standardPrices } from '#libs/protocol/accounts/prices.js';
import { createDasMethods } from '../src/gateway/das/das-methods.js';
import type { DasReads } from '../src/gateway/das/das-reads.js';
import { listMethods } from '../src/gateway/method-cost.js';
import { treatmentOf } from '../src/gateway/method-policy.js';
import { RpcFault } from '../src/gateway/rpc-fault.js';
import { GatewayHarness } from './gateway-harness.js';

/** What the calls of the gateway cost, by their methods. No node can be reached: an error of JSON-RPC is an answer like any other. */
const NOWHERE = 'http://127.0.0.1:1';
const { read, list } = standardPrices;
const methodsOfDas = createDasMethods({} as DasReads);

describe('credits of the gateway', () => {
  let gateway: GatewayHarness;

  beforeAll(async () => {
    gateway = await GatewayHarness.start({ eth: [NOWHERE], sol: [NOWHERE] });
  });
  afterAll(() => gateway.close());

  const costs = async (path: string, methods: readonly string[], batch = true): Promise<number> => {
    const before = gateway.spent();
    const calls = methods.map((method, id) => ({ jsonrpc: '2.0', id, method, params: [] }));
    const { status } = await gateway.post(path, JSON.stringify(batch ? calls : calls[0]));
    expect(status).toBe(200);
    return gateway.spent() - before;
  };

  it('each method costs what the document says, alone as in a batch', async () => {
    const { paths } = parse(await (await fetch(`${gateway.url}/openapi.yaml`)).text());
    const said: Record<string, { request: number; methods: Record<string, number> }> = {
      '/': paths['/'].post['x-credits'],
      '/eth': paths['/{chain}'].post['x-credits'],
    };
    const reads = {
      '/': ['getSlot', 'sendTransaction', 'getAsset'],
      '/eth': ['eth_chainId', 'eth_sendRawTransaction', 'x'],
    };
    for (const [path, family] of [
      ['/', 'solana'],
      ['/eth', 'evm'],
    ] as const) {
      expect(said[path]!.request).toBe(read);
      for (const method of listMethods[family]) {
        expect([method, said[path]!.methods[method]]).toEqual([method, list]);
        expect([method, await costs(path, [method], false)]).toEqual([method, list]);
      }
      for (const method of reads[path]) {
        expect([method, said[path]!.methods[method]]).toEqual([method, undefined]);
        expect([method, await costs(path, [method], false)]).toEqual([method, read]);
      }
      const all = [...listMethods[family], ...reads[path]];
      expect(await costs(path, all)).toBe(listMethods[family].size * list + reads[path].length * read);
    }
    expect(list).toBeGreaterThan(read);
  });

  it('only methods that are served have a price of their own', () => {
    for (const family of ['evm', 'solana'] as const) {
      for (const method of listMethods[family]) {
        const served = !(treatmentOf(family, method) instanceof RpcFault) || methodsOfDas.find(method) !== null;
        expect([method, served]).toEqual([method, true]);
      }
    }
  });

  it('calls that are not formed, and a body that is none, cost what a read does', async () => {
    const before = gateway.spent();
    await gateway.post('/eth', '[1,{"jsonrpc":"2.0","id":1,"method":"eth_getLogs"}]');
    expect(gateway.spent() - before).toBe(read + list);
    await gateway.post('/eth', '{');
    expect(gateway.spent() - before).toBe(read + list + read);
  });
});
