import { mkdtempSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayNodes } from '#apps/api/src/gateway/nodes/gateway-nodes.js';
import { type EvmNodes, openEvmNodes } from '#apps/router/src/evm/evm-nodes.js';
import { eth as chain } from '#libs/chain/catalogue/test/chain-specs.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { NodeMemory, nodesFile } from '#libs/chain/chains/rpc/node-memory.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';

const logger = { warn: () => undefined };
const ask = { params: '[]', anyNode: true, sends: false };

/** A node that counts what it is asked; `reply` answers in its place where it returns true. */
class CountingNode {
  readonly asked: string[] = [];
  url = '';
  reply: (method: string, response: ServerResponse) => boolean = () => false;
  private readonly server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { id, method } = JSON.parse(text) as { id: number; method: string };
    this.asked.push(method);
    if (this.reply(method, response)) return;
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0x1' : '0x10' }));
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
    return this;
  }

  count(method: string): number {
    return this.asked.filter((each) => each === method).length;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('the nodes of one chain in one process', () => {
  let nodes: CountingNode[];
  let pools: NodePools;
  let gateway: GatewayNodes;
  let router: EvmNodes;

  const open = async (count: number): Promise<void> => {
    nodes = await Promise.all(Array.from({ length: count }, () => new CountingNode().start()));
    const urls = nodes.map(({ url }) => url);
    pools = new NodePools();
    gateway = new GatewayNodes({ chain, urls, logger, nodePools: pools });
    router = openEvmNodes(chain, { urls, logger, nodePools: pools });
  };
  const head = (deadlineMs = 20_000) =>
    router.use((endpoint, signal) => endpoint.call<string>('eth_blockNumber', [], signal), deadlineMs);

  afterEach(async () => {
    await gateway.close();
    await router.close();
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('are asked once which chain they serve, and are closed with their last user', async () => {
    await open(1);
    const [node] = nodes as [CountingNode];
    await gateway.ask({ method: 'eth_gasPrice', ...ask });
    await head();
    await gateway.ask({ method: 'eth_gasPrice', ...ask });
    expect(node.count('eth_chainId')).toBe(1);
    const set = pools.of('eth', [node.url]);
    await gateway.close();
    await head();
    expect([pools.of('eth', [node.url]) === set, set.agent.destroyed]).toEqual([true, false]);
    await router.close();
    expect([pools.of('eth', [node.url]) === set, set.agent.destroyed]).toEqual([false, true]);
  });

  it('rest for the router, too, when the gateway finds one away', async () => {
    await open(2);
    const [first, second] = nodes as [CountingNode, CountingNode];
    await first.close();
    await gateway.ask({ method: 'eth_gasPrice', ...ask });
    const { coolDown } = pools.of('eth', [first.url, second.url]).states[0]!;
    expect([coolDown.failures, coolDown.problem?.kind]).toEqual([1, 'transport']);
    coolDown.until = Number.POSITIVE_INFINITY;
    expect(await head()).toBe('0x10');
    expect([coolDown.failures, second.count('eth_blockNumber')]).toEqual([1, 1]);
  });

  it('answer the router while questions of clients fill the share of the gateway', async () => {
    await open(1);
    const [node] = nodes as [CountingNode];
    const held: ServerResponse[] = [];
    node.reply = (method, response) => method === 'eth_gasPrice' && held.push(response) > 0;
    const flood = Array.from({ length: 200 }, () => gateway.ask({ method: 'eth_gasPrice', ...ask }).catch(() => null));
    await until('the share of the gateway is full', () => held.length >= 8);
    for (let n = 0; n < 20; n++) expect(await head()).toBe('0x10');
    node.reply = () => false;
    await gateway.close();
    await Promise.all(flood);
  });

  it('are not put to rest for the router by what clients provoke', async () => {
    await open(1);
    const [node] = nodes as [CountingNode];
    await head();
    for (const status of [500, 429, 503]) {
      node.reply = (method, response) => method === 'eth_gasPrice' && response.writeHead(status).end() !== null;
      for (let n = 0; n < 5; n++) await gateway.ask({ method: 'eth_gasPrice', ...ask }).catch(() => null);
      const { coolDown } = pools.of('eth', [node.url]).states[0]!;
      expect([status, coolDown.until, coolDown.failures]).toEqual([status, 0, 0]);
      expect(await head(1_000)).toBe('0x10');
    }
  });

  it('keep what a source learned of them, and what is learned here', async () => {
    await open(1);
    const [node] = nodes as [CountingNode];
    const dir = mkdtempSync(join(tmpdir(), 'one-pool-'));
    const file = nodesFile(dir, 'eth');
    const urls = [node.url];
    const refuse = (pool: RpcPool, what: string) =>
      pool.learn(pool.endpoints[0]!, pool.endpoints[0]!.error('method-missing', what), { what });
    const source = new RpcPool({ urls, chainId: 1, memory: new NodeMemory(file) });
    refuse(source, 'receipts');
    source.remember();
    const shared = new RpcPool({ urls, chainId: 1, nodes: new NodePools({ fileOf: () => file }).of('eth', urls) });
    expect(shared.isLacking(shared.endpoints[0]!, { what: 'receipts' })).toBe(true);
    refuse(shared, 'simulations');
    await shared.close();
    refuse(source, 'traces');
    await source.close();
    const next = new RpcPool({ urls, chainId: 1, memory: new NodeMemory(file) });
    expect(
      next
        .lacksOf(next.endpoints[0]!)
        .map(({ what }) => what)
        .sort(),
    ).toEqual(['receipts', 'simulations', 'traces']);
    await next.close();
    await removeFolder(dir);
  });
});
