import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import type { Hex } from '#libs/core/ids.js';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { Route } from '#libs/routing/search/route.js';
import { type EvmNodes, openEvmNodes } from '../evm-nodes.js';
import { createQuoteCheck, type QuoteCheck } from './quote-check.js';
import { askQuoter, pathOf, type RoutePath } from './quoter-call.js';
import { Gateway } from './test/local-market.js';
import { LocalRoutes } from './test/local-routes.js';

const dir = mkdtempSync(join(tmpdir(), 'tidepool-quoting-'));
let local: LocalChain;
let routes: LocalRoutes;
let node: EvmNodes;

beforeAll(async () => {
  local = await startLocalChain({ chain: 'eth', dataDir: dir, seed: 11, historyBlocks: 10, autoMine: false });
  routes = new LocalRoutes(eth, local);
  node = openEvmNodes(eth, { urls: [local.rpcUrl], logger: silentLogger, nodePools: null });
});

afterAll(async () => {
  await node?.close();
  await local?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Routes of one to three hops, so many of each. */
async function some(version: 'v2' | 'v3', each = 3): Promise<Route[]> {
  const found: Route[] = [];
  for (const hops of [1, 2, 3]) {
    const paths = routes.paths(version, hops);
    expect(paths.length).toBeGreaterThan(0);
    for (let n = 0; n < Math.min(each, paths.length); n++) {
      const path = paths[Math.floor((n * paths.length) / each)]!;
      found.push(await routes.route(path, routes.worth(path, 40 * (n + 1))));
    }
  }
  return found;
}

describe('the question to the chain’s own quoter', () => {
  it('gives what viem gets, at a block by its hash, also when the chain has moved on', async () => {
    const head = await routes.head();
    const before = [...(await some('v2')), ...(await some('v3'))];
    await local.mine();
    await local.mine();
    let moved = 0;
    for (const route of before) {
      const { amountIn } = route.hops[0]!;
      const ask = (block: string | { blockHash: string }) =>
        node.use((endpoint) => askQuoter(endpoint, eth, pathOf(route), amountIn, block), 5_000);
      const then = await ask({ blockHash: `0x${head.hash}` });
      expect(then).toBe(await routes.quote(route, BigInt(head.height)));
      expect(then).toBe(route.amountOut);
      const now = await ask('latest');
      expect(now).toBe(await routes.quote(route));
      if (now !== then) moved++;
    }
    expect(moved).toBeGreaterThan(0);
  });

  it('says null where the contract reverts, and throws where the node cannot know', async () => {
    const route = await routes.route(routes.paths('v2', 1)[0]!, 10n ** 6n);
    const nowhere: RoutePath = { ...pathOf(route), tokens: [route.hops[0]!.pool.token0, 'dd'.repeat(20)] };
    const ask = (path: RoutePath, block: string | { blockHash: string }) =>
      node.use((endpoint) => askQuoter(endpoint, eth, path, 1_000n, block), 2_000);
    expect(await ask(nowhere, 'latest')).toBeNull();
    await expect(ask(pathOf(route), { blockHash: `0x${'ab'.repeat(32)}` })).rejects.toMatchObject({
      code: 'rpc_unknown_block',
    });
  });
});

describe('the check of quotes', () => {
  let distrusted: Hex[];
  let check: QuoteCheck;
  const open = (everyMs: number, through = node) => {
    distrusted = [];
    const distrust = (pool: Hex) => void distrusted.push(pool);
    check = createQuoteCheck({ chain: eth, nodes: through, logger: silentLogger, distrust, everyMs });
  };
  const tried = async (route: Route, hash?: Hex) => {
    const head = await routes.head();
    check.sample(route, { ...head, hash: hash ?? head.hash });
    await check.idle();
  };
  afterEach(() => check.close());

  it('agrees with what the contracts say, and counts it', async () => {
    open(0);
    const all = [...(await some('v2')), ...(await some('v3'))];
    for (const route of all) await tried(route);
    expect(check.status()).toEqual({
      ...{ checked: all.length, disagreed: 0, reverted: 0, skipped: 0 },
      lastDisagreement: null,
    });
    expect(distrusted).toEqual([]);
  });

  it('distrusts the one pool that is off by a base unit, and no other', async () => {
    open(0);
    for (const route of [...(await some('v2')), ...(await some('v3'))]) {
      for (let wrong = 0; wrong < route.hops.length; wrong++) {
        // As a book with one wrong pool quotes: the hops behind it start from its amount.
        const path = route.hops.map(({ pool, zeroForOne }) => ({
          pool: local.pools.find(({ address }) => address.slice(2).toLowerCase() === pool.id)!,
          zeroForOne,
        }));
        const off = route.hops[wrong]!.amountOut + 1_000n;
        const rest = wrong + 1 < path.length ? await routes.route(path.slice(wrong + 1), off) : null;
        const hops = route.hops.slice(0, wrong + 1).map((hop) => ({ ...hop }));
        hops[wrong]!.amountOut = off;
        const claim = { ...route, hops: [...hops, ...(rest?.hops ?? [])], amountOut: rest?.amountOut ?? off };
        if (claim.amountOut === route.amountOut) continue;
        distrusted = [];
        await tried(claim);
        expect(distrusted).toEqual([route.hops[wrong]!.pool.id]);
        expect(check.status().lastDisagreement).toMatchObject({
          quoted: String(claim.amountOut),
          chain: String(route.amountOut),
        });
      }
    }
    expect(check.status().disagreed).toBeGreaterThan(8);
  });

  it('asks at the block of the quote, however far the chain has gone on', async () => {
    open(0);
    const quoted = await some('v2');
    const head = await routes.head();
    for (let n = 0; n < 3; n++) await local.mine();
    let moved = 0;
    for (const route of quoted) {
      check.sample(route, head);
      await check.idle();
      if ((await routes.quote(route)) !== route.amountOut) moved++;
    }
    expect(moved).toBeGreaterThan(0);
    expect(check.status()).toMatchObject({ checked: quoted.length, disagreed: 0, skipped: 0 });
  });

  it('takes no block that is gone and no token that cannot be moved for a disagreement', async () => {
    open(0);
    const gone = await routes.route(routes.paths('v3', 1)[0]!, 10n ** 6n);
    await tried(gone, 'ab'.repeat(32));
    expect(check.status()).toMatchObject({ checked: 0, disagreed: 0, skipped: 1 });
    const reverting = (route: Route, amountIn: bigint) => ({ ...route, hops: [{ ...route.hops[0]!, amountIn }] });
    await tried(reverting(gone, 2n ** 255n));
    expect(check.status()).toMatchObject({ checked: 1, disagreed: 0, reverted: 1 });
    expect(distrusted).toEqual([]);
    // The V2 router only reads reserves: where it reverts, there is nothing to trade.
    const v2 = await routes.route(routes.paths('v2', 1)[0]!, 10n ** 6n);
    await tried(reverting(v2, 0n));
    expect(check.status()).toMatchObject({ checked: 2, disagreed: 1, lastDisagreement: { chain: null } });
    expect(distrusted).toEqual([v2.hops[0]!.pool.id]);
  });

  it('asks about few of many, one at a time, and not at all once closed', async () => {
    const gateway = await Gateway.open(local.rpcUrl);
    const behind = openEvmNodes(eth, { urls: [gateway.url], logger: silentLogger, nodePools: null });
    try {
      open(60_000, behind);
      const route = await routes.route(routes.paths('v2', 1)[0]!, 10n ** 6n);
      const head = await routes.head();
      for (let n = 0; n < 100; n++) {
        check.sample(route, head);
        if (n === 50) await check.idle();
      }
      await check.idle();
      expect(check.status()).toMatchObject({ checked: 1, skipped: 0 });
      open(0, behind);
      await check.close();
      const asked = gateway.requests;
      check.sample(route, head);
      await check.idle();
      expect(gateway.requests).toBe(asked);
    } finally {
      await behind.close();
      await gateway.close();
    }
  });
});
