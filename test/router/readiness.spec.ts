import { routedEvmChains } from '#libs/chain/catalogue/catalogue.js';
import { chainSlugs } from '#libs/chain/chains/registry.js';
import { routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import { CutProxy } from '#libs/devkit/testing/cut-proxy.js';
import { untilAnswer } from '#libs/devkit/testing/until.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmReadyBody } from '#libs/serve/contract/rest/evm/ready-body.js';
import type { EvmVenuesAnswer } from '#libs/serve/contract/rest/evm/venue-body.js';
import { RouterWorld } from './router-world.js';

/**
 * `/evm/ready` tells the truth and gets over it by itself: contracts whose code differs, a node that dies, a projected
 * head that grows old. Chains are independent of each other. The tests build on each other.
 */
const LIMIT_MS = 600_000;
const NATIVE = `0x${'e'.repeat(40)}`;
/** The chains of the world; every other one that the router knows has no node. */
const OPEN = ['eth', 'chaind'] as const;
const others = routedEvmChains().flatMap(({ slug }) => (OPEN.some((open) => open === slug) ? [] : [slug]));
const NOT_CONFIGURED = others.map((slug) => `${slug}: no RPC configured`);
/** A warning is at its chain's place in the list of chains. */
const inOrder = (warnings: readonly string[]): string[] => {
  const place = (warning: string): number => chainSlugs.indexOf(warning.split(':')[0]!);
  return [...warnings].sort((a, b) => place(a) - place(b));
};

interface Refusal {
  error: string;
  reason?: string;
  reasons?: string[];
}

describe('readiness over real chains (long)', () => {
  const genuine = new Map<string, string>();
  let world: RouterWorld;
  let line: CutProxy;

  const quotePath = (slug: 'eth' | 'chaind') => {
    const { stables } = world.services(slug).spec;
    return `/evm/quote?chain=${slug}&inputMint=${NATIVE}&outputMint=0x${stables[0]!.token}&amount=1000000000000000`;
  };
  const ready = async () => (await world.get<EvmReadyBody>('/evm/ready')).body;
  const chainReady = async (slug: string) => (await ready()).chains.find(({ chain }) => chain === slug)!;
  const refused = async (reason: string) => {
    const { status, body, headers } = await world.get<Refusal>(quotePath('chaind'));
    expect({ status, body }).toEqual({ status: 503, body: { error: 'not_ready', reasons: [reason] } });
    expect(headers.get('retry-after')).toBe('1');
    // The other chain continues.
    expect((await world.get(quotePath('eth'))).status).toBe(200);
  };
  /** Fresh blocks for the chain that has to stay ready meanwhile. */
  const mineEth = async () => {
    await world.chain('eth').local.mine();
    return null;
  };

  beforeAll(async () => {
    world = await RouterWorld.open(OPEN, {
      ...{ seed: 5, historyBlocks: 20, ready: false },
      rpcUrls: async ({ slug, rpcUrl, wsUrl }) => {
        if (slug !== 'chaind') return [rpcUrl, wsUrl];
        line = await CutProxy.open(rpcUrl);
        return [line.url];
      },
      beforeServices: async ({ local, rpc }, spec) => {
        if (local.slug !== 'chaind') return;
        for (const { contracts } of routedVenues(spec)) {
          const address = `0x${contracts!.router}`;
          const code = await rpc.call<string>('eth_getCode', [address, 'latest']);
          genuine.set(address, code);
          await rpc.call('anvil_setCode', [address, `${code.slice(0, -2)}00`]);
        }
      },
    });
    await world.caughtUp('eth');
  }, LIMIT_MS);

  afterAll(async () => {
    await world?.close();
    await line?.close();
  }, LIMIT_MS);

  test(
    'other code at a router is named, keeps its chain from trading, and is got over when it is mended',
    async () => {
      const { local, rpc } = world.chain('chaind');
      await local.mine();
      const rows = await untilAnswer('mismatches', async () => {
        const { body } = await world.get<EvmVenuesAnswer>('/evm/venues');
        const own = body.venues.filter(({ chain }) => chain === 'chaind');
        return own.every(({ verification }) => verification.status === 'mismatch') ? own : null;
      });
      for (const { servable, verification, router } of rows) {
        expect(servable).toBe(false);
        expect(verification.reason).toContain(router);
        expect(verification.reason).toContain('TIDEPOOL_CODE_PINS_CHAIND');
      }
      const body = await untilAnswer('a fresh head on chaind', async () => {
        const answer = await ready();
        return answer.warnings?.includes('chaind: no fresh block head') ? null : answer;
      });
      expect(body).toMatchObject({ ready: true, reasons: [] });
      expect(body.warnings).toEqual(inOrder([...NOT_CONFIGURED, 'chaind: no venue verified yet']));
      expect(body.chains.map(({ chain, ready: one, venues }) => [chain, one, venues])).toEqual(
        routedEvmChains().map(({ slug }) =>
          slug === 'eth' ? [slug, true, ['Uniswap V2', 'Uniswap V3']] : [slug, false, []],
        ),
      );
      await refused('chaind: no venue verified yet');

      for (const [address, code] of genuine) await rpc.call('anvil_setCode', [address, code]);
      await untilAnswer('both venues', async () => ((await chainReady('chaind')).venues.length === 2 ? true : null));
      await local.mine();
      const { hash } = await world.caughtUp('chaind');
      const { status, body: quote } = await world.get<EvmQuote>(quotePath('chaind'));
      expect([status, quote.blockHash]).toEqual([200, `0x${hash}`]);
      expect((await ready()).warnings).toEqual(NOT_CONFIGURED);
    },
    LIMIT_MS,
  );

  test(
    'a node that never answers: the build is cut after ten seconds, to the letter',
    async () => {
      const { body: quoteResponse } = await world.get<EvmQuote>(quotePath('chaind'));
      line.stall();
      const started = Date.now();
      const swap = { quoteResponse, userPublicKey: `0x${'1'.repeat(40)}` };
      const { status, body, headers } = await world.post<Refusal>('/evm/swap', swap);
      expect([status, body]).toEqual([503, { error: 'rpc', reason: 'request_timeout' }]);
      expect(headers.get('retry-after')).toBe('1');
      expect(Date.now() - started).toBeGreaterThan(9_900);
      line.mend();
      await world.chain('chaind').local.mine();
      await world.caughtUp('chaind');
    },
    LIMIT_MS,
  );

  test(
    'a dead node: builds say so at once, quotes once the head is old, and both come back with it',
    async () => {
      const { local } = world.chain('chaind');
      await local.mine();
      await world.caughtUp('chaind');
      const { body: quoteResponse } = await world.get<EvmQuote>(quotePath('chaind'));
      // Over HTTP alone there is no age to tell.
      expect(Object.keys((await chainReady('chaind')).head!)).toEqual(['source', 'number']);
      const streamed = await untilAnswer('a streamed head', async () => {
        const { head } = await chainReady('eth');
        return head?.source === 'stream' ? head : mineEth();
      });
      expect(streamed).toMatchObject({ source: 'stream', ageMs: expect.any(Number) });
      line.cut();
      const swap = { quoteResponse, userPublicKey: `0x${'1'.repeat(40)}` };
      const build = await world.post<Refusal>('/evm/swap', swap);
      expect([build.status, build.body.error]).toEqual([503, 'rpc']);
      expect(Object.keys(build.body)).toEqual(['error', 'reason']);
      expect((await chainReady('chaind')).ready).toBe(true);

      await untilAnswer('an old head', async () => {
        await mineEth();
        return (await chainReady('chaind')).ready ? null : true;
      });
      await world.caughtUp('eth');
      await refused('chaind: no fresh block head');

      line.mend();
      await local.mine();
      await untilAnswer('readiness', async () => ((await chainReady('chaind')).ready ? true : mineEth()));
      expect((await world.get(quotePath('chaind'))).status).toBe(200);
    },
    LIMIT_MS,
  );
});
