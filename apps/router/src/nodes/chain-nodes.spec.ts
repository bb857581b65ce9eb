import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { type EvmNodes, openEvmNodes } from '../evm/evm-nodes.js';

describe('what the router makes of refusals', () => {
  let refusal: { status: number; message: string };
  let server: Server;
  let nodes: EvmNodes;

  beforeEach(async () => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      if (method === 'eth_chainId') response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }));
      else {
        const error = { code: -32000, message: refusal.message };
        response.writeHead(refusal.status).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/`];
    nodes = openEvmNodes(eth, { urls, logger: { warn: () => undefined }, nodePools: null });
  });
  afterEach(async () => {
    await nodes.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const code = (): Promise<string> =>
    nodes
      .use((endpoint, signal) => endpoint.call('eth_simulateV1', [], signal), 2_000)
      .then(
        () => 'answered',
        (error: { code: string }) => error.code,
      );

  it.each([
    [200, 'this method is available on a paid plan only', 'rpc_method_missing'],
    [403, 'this method is available on a paid plan only', 'rpc_method_missing'],
    [401, 'invalid api key provided', 'nodes_unavailable'],
    [200, 'invalid api key provided', 'nodes_unavailable'],
    [402, 'daily request count exceeded', 'nodes_unavailable'],
    [200, 'monthly credits are used up', 'nodes_unavailable'],
  ])('HTTP %i, %s: %s', async (status, message, expected) => {
    refusal = { status, message };
    expect(await code()).toBe(expected);
  });
});
