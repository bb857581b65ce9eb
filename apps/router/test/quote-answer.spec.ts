import { parse } from 'yaml';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import type { EvmQuote, EvmRouteStep } from '#libs/serve/contract/rest/evm/quote-body.js';
import { COIN, RouterHarness, slugs } from './router-harness.js';

/** What a quote says: the nineteen fields and how they hang together. */
describe('a quote', () => {
  let harness: RouterHarness;
  beforeAll(async () => {
    harness = await RouterHarness.start();
  });
  afterAll(() => harness.close());

  const FIELDS = [
    ...['inputMint', 'inAmount', 'outputMint', 'outAmount', 'otherAmountThreshold', 'swapMode', 'slippageBps'],
    ...['priceImpactPct', 'routePlan', 'contextSlot', 'timeTaken', 'quoteId', 'chain', 'chainId', 'router'],
    ...['gasEstimate', 'blockHash', 'expiresAt', 'candidates'],
    ...['impactBps', 'inUsd', 'outUsd', 'warnings'],
  ];
  const wrapped = (slug: (typeof slugs)[number]) => `0x${harness.chain(slug).spec.wrappedNative.token}`;
  const quote = async (changes: Record<string, string> = {}): Promise<EvmQuote> => {
    const answer = await harness.quote(changes);
    expect({ status: answer.status, reason: answer.body.reason }).toEqual({ status: 200 });
    return answer.body;
  };
  const three = () => quote({ outputMint: `0x${harness.c}`, maxHops: '3' });

  it('is written as a serializer of JSON writes it', async () => {
    const others: Record<string, string>[] = [
      {},
      { outputMint: `0x${harness.c}`, maxHops: '3' },
      { inputMint: 'native', outputMint: wrapped('eth') },
    ];
    for (const changes of others) {
      const query = new URLSearchParams({ ...harness.usual(), ...changes });
      const { status, text } = await harness.get(`/evm/quote?${query}`);
      expect([status, JSON.stringify(JSON.parse(text))]).toEqual([200, text]);
    }
  });

  it('is what the document says, with every field and no other', async () => {
    const document = parse((await harness.get('/openapi.yaml')).text);
    for (const body of [
      await quote(),
      await quote({ dexes: 'uniswap v3' }),
      await three(),
      await quote({ outputMint: wrapped('eth') }),
    ]) {
      expect(Object.keys(body)).toEqual(FIELDS);
      expect(schemaProblems(document, document.components.schemas.EvmQuote, body)).toEqual([]);
    }
  });

  it('is the same by GET and POST', async () => {
    const [get, post] = [await harness.quote(), await harness.post('/evm/quote', harness.usual())];
    const timeless = ({ timeTaken: _t, quoteId: _q, ...rest }: EvmQuote) => rest;
    expect(timeless(post.body)).toEqual(timeless(get.body));
    for (const { headers } of [get, post]) {
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('etag')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{12}-[0-9a-z]+$/);
    }
  });

  it('has a floor that is rounded down once', async () => {
    for (const slippageBps of [0, 1, 50, 333, 9999, 10_000]) {
      const body = await quote({ slippageBps: String(slippageBps), amount: '1234567890123456789' });
      const expected = (BigInt(body.outAmount) * BigInt(10_000 - slippageBps)) / 10_000n;
      expect([body.otherAmountThreshold, body.slippageBps]).toEqual([String(expected), slippageBps]);
    }
    expect((await quote()).slippageBps).toBe(50);
  });

  it('states what never changes', async () => {
    expect(await quote()).toMatchObject({ swapMode: 'ExactIn', priceImpactPct: '0', chain: 'eth', chainId: 1 });
  });

  it.each(slugs)('wraps and unwraps on %s one for one, without a pool', async (chain) => {
    const token = wrapped(chain);
    for (const [inputMint, outputMint] of [
      ['native', token],
      [token, COIN],
    ] as const) {
      const body = await quote({ chain, inputMint, outputMint, amount: '000777', slippageBps: '5000' });
      expect(body).toMatchObject({
        inAmount: '777',
        outAmount: '777',
        otherAmountThreshold: '777',
        slippageBps: 5000,
        routePlan: [],
        candidates: 0,
        router: token,
        gasEstimate: expect.stringMatching(/^[1-9]\d*$/),
      });
      expect([body.inputMint, body.outputMint].sort()).toEqual([token, COIN].sort());
    }
    const gas = [await quote({ chain, outputMint: token }), await quote({ chain, inputMint: token, outputMint: COIN })];
    expect(gas.map(({ gasEstimate }) => gasEstimate)).toEqual(['34300', '35100']);
  });

  it('has one step a hop, in order, on one venue, with the wrapped token for the coin', async () => {
    for (const [body, hops] of [
      [await quote({ dexes: 'uniswap v2' }), 1],
      [await quote({ outputMint: `0x${harness.b}` }), 2],
      [await three(), 3],
    ] as const) {
      expect(body.routePlan).toHaveLength(hops);
      const infos = body.routePlan.map((step) => step.swapInfo);
      expect(infos[0]).toMatchObject({ inputMint: wrapped('eth'), inAmount: body.inAmount });
      expect(infos.at(-1)!.outAmount).toBe(body.outAmount);
      expect(infos.at(-1)!.outputMint).toBe(body.outputMint);
      for (let i = 1; i < hops; i++) {
        expect([infos[i]!.inputMint, infos[i]!.inAmount]).toEqual([infos[i - 1]!.outputMint, infos[i - 1]!.outAmount]);
      }
      expect(new Set(infos.map(({ label }) => label)).size).toBe(1);
      expect(new Set(infos.map(({ ammKey }) => ammKey)).size).toBe(hops);
      for (const step of body.routePlan) expectStep(step);
      expect(body.inputMint).toBe(COIN);
      expect(body.candidates).toBeGreaterThanOrEqual(1);
    }
  });

  it('prices each hop by its pool', async () => {
    const body = await quote({ dexes: 'uniswap v2', amount: '1000000000000000000' });
    const [step] = body.routePlan as [EvmRouteStep];
    // x·y = k with 0.3 % of the input kept: (in·997·3,000,000e18) / (1,000e18·1000 + in·997).
    const paid = 10n ** 18n * 997n;
    const out = (paid * 3_000_000n * 10n ** 18n) / (1_000n * 10n ** 18n * 1000n + paid);
    expect(body.outAmount).toBe(String(out));
    expect(step).toMatchObject({ fee: 3000, venueId: 'eth-uniswap-v2', percent: 100, bps: 10_000 });
    expect(step.swapInfo.feeAmount).toBe('3000000000000000');
    expect((await quote({ chain: 'bsc', dexes: 'pancakeswap v2' })).routePlan[0]!.fee).toBe(2500);
    expect((await quote({ dexes: 'uniswap v3' })).routePlan[0]!.fee).toBe(500);
  });

  it('names the block it was priced at', async () => {
    const services = harness.chain('eth');
    for (let i = 0; i < 3; i++) {
      services.mine();
      const { height, hash } = services.book.head!;
      expect(await quote()).toMatchObject({ contextSlot: height, blockHash: `0x${hash}` });
    }
  });

  it('says how long it took, in seconds', async () => {
    for (let i = 0; i < 20; i++) {
      const before = performance.now();
      const { timeTaken } = await quote();
      expect(timeTaken).toBeGreaterThan(0);
      expect(timeTaken).toBeLessThan((performance.now() - before) / 1000);
    }
  });

  it('has an id of its own', async () => {
    const ids = new Set<string>();
    for (let round = 0; round < 10; round++) {
      const all = Array.from({ length: 100 }, () => harness.quote());
      for (const { body } of await Promise.all(all)) {
        expect(body.quoteId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        ids.add(body.quoteId);
      }
    }
    expect(ids.size).toBe(1_000);
  });

  it.each([
    ['eth', 30_000],
    ['bsc', 15_000],
    ['base', 15_000],
    ['chaind', 15_000],
  ] as const)('on %s lives for %d ms', async (chain, lifetime) => {
    const { expiresAt } = await quote({ chain });
    expect(expiresAt).toBe(new Date(harness.clock.ms + lifetime).toISOString());
  });

  it.each([
    ['eth', ['Uniswap V2', 'Uniswap V3']],
    ['bsc', ['PancakeSwap V2', 'PancakeSwap V3']],
    ['base', ['Uniswap V2', 'Uniswap V3']],
    ['chaind', ['Uniswap V2', 'Uniswap V3']],
  ] as const)('on %s names its venue and its router', async (chain, dexes) => {
    const { venues } = (await harness.get('/evm/venues')).body;
    for (const dex of dexes) {
      const body = await quote({ chain, dexes: dex });
      const venue = venues.find((row: { chain: string; dex: string }) => row.chain === chain && row.dex === dex);
      expect(body.routePlan[0]).toMatchObject({ swapInfo: { label: dex }, venueId: venue.id });
      expect(body.router).toBe(venue.router);
    }
  });

  it('declines what no route takes, and says how much one takes', async () => {
    const [input, output] = [`0x${harness.a}`, `0x${harness.b}`];
    const parameters = { inputMint: input, outputMint: output, dexes: 'uniswap v2' };
    const answer = await harness.quote({ ...parameters, amount: String(2n ** 200n) });
    expect([answer.status, Object.keys(answer.body)]).toEqual([422, ['error', 'reason', 'liquidity']]);
    expect(answer.body.error).toBe('low_liquidity');
    const { maxInAmount, mint } = answer.body.liquidity;
    expect(mint).toBe(input);
    expect((await harness.quote({ ...parameters, amount: maxInAmount })).status).toBe(200);
    expect((await harness.quote({ ...parameters, amount: String(BigInt(maxInAmount) + 1n) })).status).toBe(422);
    const ofCoin = await harness.quote({ dexes: 'uniswap v2', amount: String(2n ** 200n) });
    expect(ofCoin.body.liquidity.mint).toBe(COIN);
  });

  it('has no route where all of them give nothing', async () => {
    const answer = await harness.quote({
      dexes: 'uniswap v2',
      inputMint: `0x${harness.a}`,
      outputMint: 'native',
      amount: '1',
    });
    expect([answer.status, answer.body.error]).toEqual([404, 'no_route']);
    expect(answer.body.reason).toContain('larger amount');
  });

  it('never has a quoteId in an error', async () => {
    const refused: Record<string, string>[] = [
      { amount: 'x' },
      { outputMint: `0x${harness.lonely}` },
      { amount: String(2n ** 255n) },
    ];
    for (const changes of refused) {
      expect((await harness.quote(changes)).body).not.toHaveProperty('quoteId');
    }
  });
});

function expectStep(step: EvmRouteStep): void {
  expect(Object.keys(step)).toEqual(['swapInfo', 'percent', 'bps', 'fee', 'venueId']);
  expect(Object.keys(step.swapInfo)).toEqual([
    ...['ammKey', 'label', 'inputMint', 'inAmount', 'outputMint', 'outAmount', 'feeAmount', 'feeMint'],
  ]);
  expect([step.percent, step.bps]).toEqual([100, 10_000]);
  expect(step.swapInfo.feeMint).toBe(step.swapInfo.inputMint);
  expect(step.swapInfo.ammKey).toMatch(/^0x[0-9a-f]{40}$/);
}
