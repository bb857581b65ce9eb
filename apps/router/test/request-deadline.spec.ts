import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { CutProxy } from '#libs/devkit/testing/cut-proxy.js';
import { until } from '#libs/devkit/testing/until.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { AccountBook } from '#libs/routing/pools/solana/account-book.js';
import { StoppedClock } from '#libs/serve/http/test/stopped-clock.js';
import type { HeldQuotes } from '../src/held/held-quotes.js';
import { MemoryHeldQuotes } from '../src/held/memory-held-quotes.js';
import { RequestDeadline } from '../src/http/request-deadline.js';
import { ChainNodes, NODE_DEADLINE_MS } from '../src/nodes/chain-nodes.js';
import { BundleRelay } from '../src/relay/bundle-relay.js';
import { SolanaSwapBuilder } from '../src/solana/swap/swap-builder.js';
import { hopAccounts } from '../src/solana/venues/hop-accounts.js';
import { SolanaUtilities } from '../src/utilities/solana-utilities.js';
import { createRelay, createUtilities } from './create-hosts.js';
import { createRouter, ownLaunch, type RunningRouter } from './create-router.js';
import { noReceipts } from './no-receipts.js';
import { RouterHarness, WALLET } from './router-harness.js';
import { SolanaWallet } from './solana-wallet.js';
import { COIN, hex, type SolanaWorld } from './solana-world.js';

/**
 * A request is cut after ten seconds, whatever it waits for, with the label to the letter; the seconds pass by hand. Nodes take what
 * they are asked and do not answer; stores of held quotes take what they are given and do not come back.
 */
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const hanging: HeldQuotes = { hold: () => new Promise(() => undefined), find: () => new Promise(() => undefined) };

/** A pool of a token against the coin, as the log has it. */
function loggedPool(token: string): PoolBook {
  const book = new PoolBook();
  const [token0, token1] = [hex(token), hex(COIN)].sort() as [string, string];
  const record = { pool: '11'.repeat(32), venue: 'tidepool-amm', kind: 'constant-product' as const, token0, token1 };
  const state = { pool: record.pool, reserve0: 10n ** 9n, reserve1: 10n ** 9n, concentrated: null, setApart: null };
  book.load({ ...record, feePpm: 0, tickSpacing: 0, created: true }, { ...state, anchored: true }, 1);
  book.startAt(1, { height: 4_711, hash: '00', time: 0 });
  return book;
}

/** Sends; when the limit alone is waited for, its time passes. The answer is then that of the limit. */
async function cut(clock: StoppedClock, hangs: () => boolean, url: string, body?: object): Promise<Response> {
  let isAnswered = false;
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = fetch(url, init).finally(() => {
    isAnswered = true;
  });
  // The limit of a body that arrives is on the clock as well, until all of it is there.
  await until(`${url} waits`, () => isAnswered || (hangs() && clock.waiting.size === 1));
  expect([url, isAnswered, [...clock.waiting].map(({ ms }) => ms)]).toEqual([url, false, [10_000]]);
  clock.pass();
  const response = await answer;
  expect([url, response.status, response.headers.get('retry-after')]).toEqual([url, 503, '1']);
  expect(clock.waiting.size).toBe(0);
  return response;
}

it('waits for nodes until it is cut', () => expect(NODE_DEADLINE_MS).toBeGreaterThan(new RequestDeadline().limitMs));

describe('a request to the Solana hosts that waits too long', () => {
  let world: SolanaWorld;
  let wallet: SolanaWallet;
  let node: CutProxy;
  let nodes: ChainNodes<SolanaEndpoint>;
  const clock = new StoppedClock();
  const urls = {} as Record<'router' | 'stored' | 'relay' | 'utilities', string>;
  const closers: (() => Promise<unknown>)[] = [];
  let quoteResponse: Record<string, unknown>;
  let bundle: string;

  beforeAll(async () => {
    wallet = await SolanaWallet.start();
    world = wallet.world;
    quoteResponse = await wallet.quoted({ inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' });
    bundle = wallet.signed((await wallet.build('/swap', quoteResponse)).body.swapTransaction).toString('base64');
    node = await CutProxy.open(world.market.chain.rpcUrl);
    node.stall();
    nodes = new ChainNodes({
      ...{ chain: 'sol', urls: [node.url], logger: silent, nodePools: null },
      open: (given) => new SolanaPool(given),
    });
    const services = world.chain.services!;
    const { program } = services.deployment;
    const accountsOf = hopAccounts(services.pools as AccountBook);
    const builder = new SolanaSwapBuilder({
      chain: 'sol',
      program,
      nodes,
      accountsOf,
      labelOf: world.chain.venues.labelOf,
    });
    const routers: [keyof typeof urls, HeldQuotes][] = [
      ['router', new MemoryHeldQuotes({ now: Date.now })],
      ['stored', hanging],
    ];
    for (const [name, held] of routers) {
      const router: RunningRouter = await createRouter({
        ...{ accounts: null, chains: [], held, receipts: noReceipts, version: '1.2.3', logger: silent, clock },
        solana: { ...world.chain, services: { ...services, builder } },
        launch: { ...ownLaunch(Date.now), exchangeMs: 120_000, localNodes: new Map([['sol', node.url]]) },
      });
      urls[name] = router.url;
      closers.push(() => router.close());
    }
    const parts = { accounts: null, logger: silent, version: '1.2.3', clock };
    const relay = new BundleRelay('sol', 10_000, silent, new NodePools());
    relay.open({ upstream: node.url, rpcUrls: [node.url], sponsor: null });
    const market = loggedPool(world.mint('USDC'));
    const chain = { ...world.chain, services: { ...services, market: () => market } };
    const utilities = new SolanaUtilities(chain, relay, null, silent, new NodePools());
    utilities.open([node.url]);
    const relayHost = await createRelay(relay, parts);
    const utilitiesHost = await createUtilities(utilities, parts);
    urls.relay = relayHost.url;
    urls.utilities = utilitiesHost.url;
    closers.push(...[relayHost, relay, utilitiesHost, utilities, nodes, node].map((each) => () => each.close()));
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await world?.close();
  });

  /** The body of the answer; what was asked of the node is given up. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field
  async function refused(url: string, body?: object): Promise<any> {
    const answer = await cut(clock, () => node.connections > 0, url, body);
    await until('the question to the node is given up', () => node.connections === 0);
    return answer.json();
  }

  it.each(['/swap', '/swap-instructions', '/transaction', '/transactions'])('%s', async (path) => {
    const transaction = { payer: COIN, instructions: [{ programId: TIDEPOOL_SWAP, accounts: [], data: '' }] };
    // Without its id a quote is priced again: it need not be held.
    const { quoteId: _, ...bare } = quoteResponse;
    const swap = { quoteResponse: bare, userPublicKey: wallet.address };
    const bodies: Record<string, object> = {
      '/transaction': transaction,
      '/transactions': { transactions: [transaction] },
    };
    const { error, reason } = await refused(urls.router + path, bodies[path] ?? swap);
    expect([error, reason]).toEqual(['rpc', 'request_timeout']);
  });

  it('/launch/sol', async () => {
    const image = `${urls.router}/launch/files/sample.png`;
    const body = {
      platform: 'tidepool',
      creator: wallet.address,
      name: 'Tide',
      symbol: 'TIDE',
      image,
      rpcUrl: node.url,
    };
    const { ok, error } = await refused(`${urls.router}/launch/sol`, body);
    expect([ok, error]).toEqual([false, { code: 'rpc', message: 'request_timeout' }]);
  });

  it('/bundle, and what is asked of the block engine before', async () => {
    const body = await refused(`${urls.relay}/bundle`, { transactions: [bundle], encoding: 'base64' });
    expect(body).toEqual({ success: false, error: { code: 'rpc', message: 'request_timeout' } });
  });

  it.each([
    ['consolidate', () => ({ wallets: [wallet.address], receiver: COIN, percentage: 50 })],
    ['consolidate', () => ({ wallets: [wallet.address], receiver: COIN, percentage: 50, tipLamports: 7 })],
    ['quote', () => undefined],
  ])('/api/sol/%s', async (name, body) => {
    const path = name === 'quote' ? `quote/${world.mint('USDC')}` : name;
    const answer = await refused(`${urls.utilities}/api/sol/${path}`, body());
    expect(answer).toEqual({ success: false, error: { code: 'rpc', message: 'request_timeout' } });
  });

  it('quotes, and builds of held ones, whose store does not answer', async () => {
    const question = { inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' };
    const swap = { quoteResponse, userPublicKey: wallet.address };
    for (const [path, body] of [
      [`/quote?${new URLSearchParams(question)}`, undefined],
      ['/quote', question],
      ['/swap', swap],
      ['/swap-instructions', swap],
    ] as const) {
      const answer = await cut(clock, () => true, urls.stored + path, body);
      expect([path, await answer.json()]).toEqual([
        path,
        { error: 'rpc', reason: 'request_timeout', quoteId: expect.any(String) },
      ]);
    }
  });
});

describe('a request to the EVM routes that waits too long', () => {
  const asked = { userPublicKey: WALLET };

  it('is cut, and its work is told', async () => {
    const clock = new StoppedClock();
    const harness = await RouterHarness.start({ clock });
    try {
      harness.chain('eth').mine();
      let told: unknown = null;
      let isBuilding = false;
      harness.chain('eth').build = (_request, signal) => {
        isBuilding = true;
        return new Promise(() => signal.addEventListener('abort', () => (told = signal.reason)));
      };
      const { body: quoteResponse } = await harness.quote();
      const url = `${harness.router.url}/evm/swap`;
      const answer = await cut(clock, () => isBuilding, url, { ...asked, quoteResponse });
      expect(await answer.json()).toEqual({ error: 'rpc', reason: 'request_timeout' });
      expect(told).not.toBeNull();
      expect(harness.problems).toEqual([]);
    } finally {
      await harness.close();
    }
  });

  it('is cut where the store of held quotes does not answer', async () => {
    const clock = new StoppedClock();
    const harness = await RouterHarness.start({ held: () => hanging, clock });
    try {
      for (const [path, body] of [
        [`/evm/quote?${new URLSearchParams(harness.usual())}`, undefined],
        ['/evm/quote', harness.usual()],
        ['/evm/swap', { ...asked, quoteResponse: { quoteId: 'x' } }],
        ['/evm/swap', { ...asked, ...harness.usual() }],
      ] as const) {
        const answer = await cut(clock, () => true, harness.router.url + path, body);
        expect([path, await answer.json()]).toEqual([path, { error: 'rpc', reason: 'request_timeout' }]);
      }
    } finally {
      await harness.close();
    }
  });
});
