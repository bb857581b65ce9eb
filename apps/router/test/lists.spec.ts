import { parse } from 'yaml';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { RouterHarness, type Slug, slugs } from './router-harness.js';

/** Venues, chains and readiness: what they say, and that they always say it. */
describe('lists and readiness', () => {
  let harness: RouterHarness;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed document
  let document: any;
  const problems = (name: string, body: unknown) => schemaProblems(document, document.components.schemas[name], body);

  beforeEach(async () => {
    harness = await RouterHarness.start();
    document = parse((await harness.get('/openapi.yaml')).text);
  });
  afterEach(() => harness.close());

  const without = (...gone: Slug[]) => {
    for (const slug of gone) harness.chain(slug).present = false;
  };

  describe('/evm/venues', () => {
    const VENUES = [
      ...['eth-uniswap-v2', 'eth-uniswap-v3', 'bsc-pancakeswap-v2', 'bsc-pancakeswap-v3'],
      ...['base-uniswap-v2', 'base-uniswap-v3', 'chaind-uniswap-v2', 'chaind-uniswap-v3'],
    ];

    it('has a row for each venue in one order, with and without nodes', async () => {
      const first = await harness.get('/evm/venues');
      expect(first.body.venues.map(({ id }: { id: string }) => id)).toEqual(VENUES);
      expect(problems('EvmVenuesAnswer', first.body)).toEqual([]);
      without('eth', 'chaind');
      harness.chain('bsc').verified = () => false;
      const mixed = await harness.get('/evm/venues');
      expect(mixed.status).toBe(200);
      expect(problems('EvmVenuesAnswer', mixed.body)).toEqual([]);
      const statuses = mixed.body.venues.map(
        (row: { id: string; servable: boolean; verification: { status: string } }) => [
          row.id,
          row.servable,
          row.verification.status,
        ],
      );
      const expected = ['pending', 'pending', 'mismatch', 'mismatch', 'verified', 'verified', 'pending', 'pending'];
      expect(statuses).toEqual(VENUES.map((id, i) => [id, expected[i] === 'verified', expected[i]]));
      without(...slugs);
      const none = await harness.get('/evm/venues');
      expect([none.status, none.body.venues.length]).toEqual([200, VENUES.length]);
      expect(none.body.venues[0].verification).toEqual({
        status: 'pending',
        reason: expect.stringContaining('no RPC configured'),
        anchor: null,
        at: null,
      });
    });

    it('has the fields of its protocol and no others', async () => {
      const pair = ['feeNumerator', 'feeDenominator'];
      const range = ['quoter', 'feeTiers', 'quoterAbi', 'quoterFactoryGetter', 'quoterWrappedNativeGetter'];
      for (const row of (await harness.get('/evm/venues')).body.venues) {
        const [has, hasNot] = row.protocol === 'v2' ? [pair, range] : [range, pair];
        for (const name of has) expect(row).toHaveProperty(name);
        for (const name of hasNot) expect(row).not.toHaveProperty(name);
        expect(row.id).toMatch(/^(eth|bsc|base|chaind)-(uniswap|pancakeswap)-v[23]$/);
        expect(row.id.endsWith(row.protocol)).toBe(true);
        expect(row.aliases).toContain(row.id);
        expect(row.routerAbi).toBe(row.protocol === 'v2' ? 'v2-router02' : 'v3-swap-router02');
        for (const name of ['factory', 'router', 'wrappedNative']) expect(row[name]).toMatch(/^0x[0-9a-f]{40}$/);
        for (const source of row.sources) expect(new URL(source).protocol).toBe('https:');
        if (row.protocol === 'v3') {
          expect(row.quoter).toMatch(/^0x[0-9a-f]{40}$/);
          expect(row.feeTiers).toEqual(row.chain === 'bsc' ? [100, 500, 2500, 10_000] : [100, 500, 3000, 10_000]);
          expect(row.quoterAbi).toBe('quoter-v2');
        }
      }
    });

    it('is tagged, and not sent again to whoever has it', async () => {
      const first = await harness.get('/evm/venues');
      const tag = first.headers.get('etag')!;
      expect(tag).not.toBeNull();
      expect((await harness.get('/evm/venues', { headers: { 'if-none-match': tag } })).status).toBe(304);
      harness.chain('bsc').verified = () => false;
      expect((await harness.get('/evm/venues', { headers: { 'if-none-match': tag } })).status).toBe(200);
    });
  });

  describe('/evm/chains', () => {
    it('has the chains of the router with their policy', async () => {
      harness.chain('base').demoRpcUrl = 'http://127.0.0.1:1';
      without('chaind');
      const { body } = await harness.get('/evm/chains');
      expect(problems('EvmChainsAnswer', body)).toEqual([]);
      const rows = Object.fromEntries(body.chains.map((row: { chain: string }) => [row.chain, row]));
      expect(Object.keys(rows)).toEqual([...slugs]);
      expect(rows.eth).toMatchObject({
        chainId: 1,
        aliases: ['ethereum'],
        family: 'evm',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        quoteLifetimeMs: 30_000,
        maxHops: 3,
        simulation: 'eth_simulateV1',
        demo: null,
      });
      expect([rows.bsc.quoteLifetimeMs, rows.base.quoteLifetimeMs, rows.chaind.quoteLifetimeMs]).toEqual([
        15_000, 15_000, 15_000,
      ]);
      expect(rows.base.demo).toEqual({ rpcUrl: 'http://127.0.0.1:1' });
      expect(rows.chaind).toMatchObject({ simulation: 'unknown', demo: null });
      for (const row of body.chains) {
        expect(row.venues).toHaveLength(2);
        for (const address of [row.wrappedNative, ...row.intermediates]) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
      }
    });
  });

  describe('/evm/ready', () => {
    const ready = () => harness.get('/evm/ready', { key: null });
    const entry = (body: { chains: { chain: string }[] }, slug: Slug) =>
      body.chains.find(({ chain }) => chain === slug);

    it('has no warnings while every chain can trade', async () => {
      const { status, body, headers } = await ready();
      expect([status, headers.get('retry-after')]).toEqual([200, null]);
      expect(problems('EvmReadyBody', body)).toEqual([]);
      expect(Object.keys(body)).toEqual(['ready', 'reasons', 'chains']);
      expect([body.ready, body.reasons]).toEqual([true, []]);
      expect(body.chains.map(({ chain }: { chain: string }) => chain)).toEqual([...slugs]);
      expect(entry(body, 'bsc')).toEqual({
        chain: 'bsc',
        chainId: 56,
        ready: true,
        venues: ['PancakeSwap V2', 'PancakeSwap V3'],
        head: { source: 'stream', number: String(harness.chain('bsc').book.head!.height), ageMs: 0 },
      });
    });

    it('warns of chains that cannot while another can', async () => {
      without('bsc', 'base');
      harness.chain('chaind').verified = () => false;
      const { status, body } = await ready();
      expect(status).toBe(200);
      expect(problems('EvmReadyBody', body)).toEqual([]);
      expect(body.reasons).toEqual([]);
      expect(body.warnings).toEqual([
        'bsc: no RPC configured',
        'base: no RPC configured',
        'chaind: no venue verified yet',
      ]);
      expect(entry(body, 'bsc')).toEqual({ chain: 'bsc', chainId: 56, ready: false, venues: [], head: null });
      expect((await harness.get('/ready')).body).toEqual({ ready: true, reasons: [], warnings: body.warnings });
    });

    it('gives every reason when none can', async () => {
      without('bsc', 'base', 'chaind');
      harness.chain('eth').verified = () => false;
      harness.clock.ms += 10 * 60_000;
      const { status, body, headers } = await ready();
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(problems('EvmReadyBody', body)).toEqual([]);
      expect(body.reasons).toEqual([
        'eth: no venue verified yet',
        'eth: no fresh block head',
        'bsc: no RPC configured',
        'base: no RPC configured',
        'chaind: no RPC configured',
      ]);
      expect(body).not.toHaveProperty('warnings');
      const base = await harness.get('/ready', { key: null });
      expect([base.status, base.headers.get('retry-after')]).toEqual([503, '1']);
      expect(base.body).toEqual({ ready: false, reasons: body.reasons, warnings: [] });
      expect((await harness.get('/evm/health')).status).toBe(200);
    });

    it.each([
      ['eth', 120_000],
      ['bsc', 30_000],
      ['base', 30_000],
      ['chaind', 30_000],
    ] as const)('on %s takes a head for fresh up to %d ms', async (slug, freshMs) => {
      without(...slugs.filter((other) => other !== slug));
      harness.clock.ms += freshMs;
      expect((await ready()).body.ready).toBe(true);
      expect(entry((await ready()).body, slug)).toMatchObject({ head: { ageMs: freshMs } });
      expect((await harness.quote({ chain: slug })).status).toBe(200);
      harness.clock.ms += 1;
      expect((await ready()).body.reasons).toContain(`${slug}: no fresh block head`);
      const answer = await harness.quote({ chain: slug });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(answer.body).toEqual({ error: 'not_ready', reasons: [`${slug}: no fresh block head`] });
      harness.chain(slug).mine();
      expect((await ready()).status).toBe(200);
      expect((await harness.quote({ chain: slug })).status).toBe(200);
    });

    it('tells the age of stream heads only, never below zero', async () => {
      const services = harness.chain('eth');
      const { height, hash, time } = services.book.head!;
      services.headOf = () => ({ height, hash, time, source: 'http' });
      expect(entry((await ready()).body, 'eth')).toMatchObject({
        ready: true,
        head: { source: 'http', number: String(height) },
      });
      expect(entry((await ready()).body, 'eth')).not.toHaveProperty('head.ageMs');
      services.headOf = () => ({ height, hash, time: harness.clock.ms + 5_000, source: 'stream' });
      expect(entry((await ready()).body, 'eth')).toMatchObject({ ready: true, head: { ageMs: 0 } });
      services.headOf = () => null;
      expect(entry((await ready()).body, 'eth')).toMatchObject({ ready: false, head: null });
    });

    it('quotes chains that can while others cannot', async () => {
      without('eth');
      expect((await harness.quote()).body).toEqual({ error: 'not_ready', reasons: ['eth: no RPC configured'] });
      harness.chain('eth').absence = 'its local chain is being made';
      expect((await harness.quote()).body.reasons).toEqual(['eth: its local chain is being made']);
      for (const chain of ['bsc', 'base', 'chaind']) expect((await harness.quote({ chain })).status).toBe(200);
    });
  });
});
