import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayNodes } from '#apps/api/src/gateway/nodes/gateway-nodes.js';
import { NodeBalances } from '#apps/api/src/gateway/nodes/node-balances.js';
import { ContractUris } from '#apps/ingest/src/metadata/contract-uri.js';
import { type EvmNodes, openEvmNodes } from '#apps/router/src/evm/evm-nodes.js';
import { BundleRelay } from '#apps/router/src/relay/bundle-relay.js';
import type { TipSponsor } from '#apps/router/src/relay/tip-sponsor.js';
import { createSolanaServices } from '#apps/router/src/solana/create-solana-services.js';
import type { SolanaChain } from '#apps/router/src/solana/ports.js';
import { SolanaVenues } from '#apps/router/src/solana/venues/solana-venues.js';
import { SolanaUtilities } from '#apps/router/src/utilities/solana-utilities.js';
import { eth as chain, sol } from '#libs/chain/catalogue/test/chain-specs.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { NodeMemory, nodesFile } from '#libs/chain/chains/rpc/node-memory.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { NodeSet } from '#libs/chain/chains/rpc/node-set.js';
import type { WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ID = '11'.repeat(32);
const TIPS = 'So11111111111111111111111111111111111111112';
const ask = { params: '[]', anyNode: true, sends: false };

/** A node that counts what it is asked; `reply` answers in its place where it returns true. */
class CountingNode {
  readonly asked: string[] = [];
  url = '';
  results: Readonly<Record<string, unknown>> = { eth_chainId: '0x1' };
  reply: (method: string, response: ServerResponse) => boolean = () => false;
  private readonly server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { id, method } = JSON.parse(text) as { id: number; method: string };
    this.asked.push(method);
    if (this.reply(method, response)) return;
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: this.results[method] ?? '0x10' }));
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

/** Part of a process that asks the nodes of a chain: `ask` asks at once, and `close` ends it. */
interface Asker {
  ask(): unknown;
  close(): Promise<unknown>;
}

const gatewayOf =
  (spec: typeof chain, method: string) =>
  (urls: readonly string[], nodePools: NodePools): Asker => {
    const made = new GatewayNodes({ chain: spec, urls, logger, nodePools });
    return { ask: () => made.ask({ method, ...ask }), close: () => made.close() };
  };

const balancesOf =
  (spec: typeof chain) =>
  (urls: readonly string[], nodePools: NodePools): Asker => {
    const endpoint = { rpcUrls: [...urls], startHeight: null, codePins: new Map(), demoRpcUrl: null };
    const made = new NodeBalances({ chains: [spec], endpoints: { of: async () => endpoint }, logger, nodePools });
    const view = { chain: spec, head: { hash: ID, height: 1 } } as ChainView;
    const wallet = spec.family === 'evm' ? ID.slice(24) : ID;
    // Its nodes are known a moment later.
    return { ask: async () => made.read(view, wallet, true), close: () => made.onModuleDestroy() };
  };

const askers: Readonly<Record<string, (urls: readonly string[], nodePools: NodePools) => Asker>> = {
  'eth gateway': gatewayOf(chain, 'eth_gasPrice'),
  'eth balances': balancesOf(chain),
  'eth router': (urls, nodePools) => {
    const made = openEvmNodes(chain, { urls, logger, nodePools });
    const asked = () => made.use((endpoint, signal) => endpoint.call('eth_gasPrice', [], signal), 20_000);
    return { ask: asked, close: () => made.close() };
  },
  'eth metadata': (urls, nodePools) => {
    const made = new ContractUris(chain, urls, nodePools);
    const ending = new AbortController();
    const close = async () => {
      ending.abort();
      await made.close();
    };
    return { ask: () => made.uriOf('11'.repeat(20), ending.signal), close };
  },
  'sol gateway': gatewayOf(sol, 'getSlot'),
  'sol balances': balancesOf(sol),
  'sol accounts': (rpcUrls, nodePools) => {
    const venues = new SolanaVenues(sol);
    const made = createSolanaServices({
      ...{ spec: sol, pools: () => null, nodePools, logger, rpcUrls, program: ID, venues },
    });
    const ending = new AbortController();
    const close = async () => {
      ending.abort();
      await made.close();
    };
    return { ask: () => Promise.all(made.stages.map((stage) => stage.run(ending.signal))), close };
  },
  'sol relay': (rpcUrls, nodePools) => {
    const made = new BundleRelay('sol', 1, logger, nodePools);
    made.open({
      upstream: engine.url,
      rpcUrls,
      sponsor: { transfer: () => Uint8Array.of(1) } as unknown as TipSponsor,
    });
    const bundle = [{ keys: [], wire: Uint8Array.of(1) }] as unknown as WireTransaction[];
    return { ask: () => made.send(bundle), close: () => made.close() };
  },
  'sol utilities': (urls, nodePools) => {
    const none = { tipAccount: async () => TIPS };
    const made = new SolanaUtilities({ spec: sol } as SolanaChain, none, null, logger, nodePools);
    made.open(urls);
    const request = { wallets: [ID], receiver: ID, percentage: 1n, tipLamports: 0n, encoding: 'base64' as const };
    return { ask: () => made.consolidate(request), close: () => made.close() };
  },
};

let engine: CountingNode;

describe('all who ask the nodes of a chain in one process', () => {
  beforeEach(async () => {
    engine = await new CountingNode().start();
    engine.results = { getTipAccounts: [TIPS] };
  });
  afterEach(() => engine.close());

  it.each(Object.keys(askers))('leave a node alone that rests for all: %s', async (name) => {
    const nodes = await Promise.all([new CountingNode().start(), new CountingNode().start()]);
    const urls = nodes.map(({ url }) => url);
    const nodePools = new NodePools();
    const set = nodePools.of(name.slice(0, 3), urls);
    set.states[0]!.coolDown.until = Number.POSITIVE_INFINITY;
    const asker = askers[name]!(urls, nodePools);
    await Promise.resolve();
    // What it makes of the answer is not asked here.
    const ended = Promise.resolve(asker.ask()).catch(() => null);
    await until('a node is asked', () => nodes.some((node) => node.asked.length > 0));
    expect([nodes[0].asked, set.agent.destroyed]).toEqual([[], false]);
    await asker.close();
    await ended;
    expect(set.agent.destroyed).toBe(true);
    await Promise.all(nodes.map((node) => node.close()));
  });
});

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

  const repeated = { code: -32602, message: 'invalid value: string "the daily quota is used up"' };
  it.each([
    ['500', 500, ''],
    ['429', 429, ''],
    ['503', 503, ''],
    ['words of a quota', 200, JSON.stringify({ jsonrpc: '2.0', id: 1, error: repeated })],
  ])('are not put to rest for the router by what clients provoke: %s', async (_, status, body) => {
    await open(1);
    const [node] = nodes as [CountingNode];
    await head();
    node.reply = (method, response) => method === 'eth_gasPrice' && response.writeHead(status).end(body) !== null;
    for (let n = 0; n < 5; n++) await gateway.ask({ method: 'eth_gasPrice', ...ask }).catch(() => null);
    expect(node.count('eth_gasPrice')).toBeGreaterThan(0);
    const { coolDown } = pools.of('eth', [node.url]).states[0]!;
    expect([coolDown.until, coolDown.failures]).toEqual([0, 0]);
    expect(await head(1_000)).toBe('0x10');
  });

  it('are well again for each who saw them fail, whoever sees it first', async () => {
    await open(1);
    const urls = nodes.map(({ url }) => url);
    const well: string[] = [];
    const poolOf = (name: string) => {
      const shared = { urls, nodes: pools.of('eth', urls), coolDownMs: 1 };
      return new RpcPool({ ...shared, chainId: 1, onRecovered: () => void well.push(name) });
    };
    const [first, second] = [poolOf('first'), poolOf('second')] as const;
    const [endpoint] = first.endpoints;
    first.blame(endpoint!, endpoint!.error('transport', 'gone'));
    for (const pool of [second, first, second, first]) await pool.use((each) => each.call('eth_gasPrice', []));
    expect(well).toEqual(['second', 'first']);
    await first.close();
    await second.close();
  });

  it('keep what a source learned of them, and what is learned here', async () => {
    await open(1);
    const [node] = nodes as [CountingNode];
    const dir = mkdtempSync(join(tmpdir(), 'one-pool-'));
    const file = nodesFile(dir, 'eth');
    const urls = [node.url];
    const refuse = (pool: RpcPool, what: string) =>
      pool.learn(pool.endpoints[0]!, pool.endpoints[0]!.error('method-missing', what), { what });
    const ofSource = new NodeSet({ urls, memory: new NodeMemory(file) });
    const source = new RpcPool({ urls, chainId: 1, nodes: ofSource });
    refuse(source, 'receipts');
    ofSource.remember();
    const shared = new RpcPool({
      urls,
      chainId: 1,
      nodes: new NodePools({ fileOf: () => file, rememberMs: 5 }).of('eth', urls),
    });
    expect(shared.isLacking(shared.endpoints[0]!, { what: 'receipts' })).toBe(true);
    refuse(shared, 'simulations');
    await until('it is written while the nodes are asked', () => readFileSync(file, 'utf8').includes('simulations'));
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
