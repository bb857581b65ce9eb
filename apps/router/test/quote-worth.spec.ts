import { safetyRecord } from '#libs/devkit/testing/market/safety-record.js';
import { until } from '#libs/devkit/testing/until.js';
import type { Append, EventLog, KeyedRecord } from '#libs/pipeline/event-log/log.js';
import { noSafeties, SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import { encodeSafety, safetyKey } from '#libs/protocol/token-safety.js';
import { impactBps } from '#libs/routing/search/price-impact.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { COIN, RouterHarness, WALLET } from './router-harness.js';
import { pairPool } from './test-pools.js';

/** Fields of a quote beyond the contract: impact, USD values, warnings; and how much of a token is sensible. */
describe('what a quote says of its worth', () => {
  let harness: RouterHarness;
  beforeEach(async () => {
    harness = await RouterHarness.start();
  });
  afterEach(() => harness.close());

  const unit = 10n ** 18n;
  const quote = async (changes: Record<string, string> = {}): Promise<EvmQuote> => {
    const { status, body } = await harness.quote(changes);
    expect({ status, reason: body.reason }).toEqual({ status: 200 });
    return body;
  };
  const taxed = (token: string) =>
    harness.chain('eth').tokens.note(token, 'taxed', { height: 1, time: harness.clock.ms });
  const venues = (made: EvmQuote) => made.routePlan.map(({ swapInfo }) => swapInfo.label);

  it('has the impact of its route, and warns above five percent', async () => {
    const { book } = harness.chain('eth');
    const dexes = 'Uniswap V2';
    const seen: number[] = [];
    for (const amount of [10n ** 9n, unit, 50n * unit, 60n * unit, 5_000n * unit]) {
      const made = await quote({ amount: String(amount), dexes, onlyDirectRoutes: 'true' });
      const { ammKey, inAmount, outAmount, feeAmount } = made.routePlan[0]!.swapInfo;
      const pool = book.pool(ammKey.slice(2))!;
      const zeroForOne = pool.token0 === harness.chain('eth').spec.wrappedNative.token;
      const [amountIn, amountOut] = [BigInt(inAmount), BigInt(outAmount)];
      const hop = { pool, zeroForOne, amountIn, amountOut, feeAmount: BigInt(feeAmount) };
      expect(made.impactBps).toBe(impactBps({ venue: pool.venue, hops: [hop], amountOut }));
      expect(made.warnings).toEqual(made.impactBps! > 500 ? ['high_impact'] : []);
      expect(made.priceImpactPct).toBe('0');
      seen.push(made.impactBps!);
    }
    // A thousand of the coin are in the pool: 50 of them are 4.7 percent, 60 are 5.6.
    expect(seen).toEqual([0, 10, 475, 564, 8_329]);
  });

  it('values both amounts where a stable leads to their price, and a wrap at both ends', async () => {
    const services = harness.chain('eth');
    expect(await quote()).toMatchObject({ inUsd: null, outUsd: null });
    const { wrappedNative, stables, venues: listed } = services.spec;
    const [stable] = stables;
    const dollars = 3_000_000n * 10n ** BigInt(stable!.decimals);
    services.mine([pairPool(listed[0]!.venue, 3000, [wrappedNative.token, 1_000n * unit], [stable!.token, dollars])]);
    const made = await quote({ dexes: 'Uniswap V2' });
    expect(made.inUsd).toBe(3_000);
    // The price of `a` is where its pools would not trade against each other: between that of V3, as much as the coin, and of V2.
    const worth = (made.outUsd! / Number(made.outAmount)) * 1e18;
    expect(worth).toBeGreaterThan((made.inUsd! / Number(made.outAmount)) * 1e18);
    expect(worth).toBeLessThan(3_000);
    const wrap = await quote({ outputMint: `0x${wrappedNative.token}` });
    expect([wrap.inUsd, wrap.outUsd, wrap.impactBps, wrap.warnings]).toEqual([3_000, 3_000, 0, []]);
    const stables_ = await quote({
      inputMint: `0x${stable!.token}`,
      outputMint: COIN,
      amount: String(10n ** BigInt(stable!.decimals)),
    });
    expect(stables_.inUsd).toBe(1);
  });

  it('prefers a venue that can swap a taxed token, says so, and forgets it after a day of blocks', async () => {
    const services = harness.chain('eth');
    const before = await quote({ outputMint: `0x${harness.a}` });
    // The pools at the price 1 of V3 give less: both venues are asked for by name.
    const v3 = await quote({ dexes: 'Uniswap V3' });
    expect([before.warnings, v3.warnings, venues(v3)]).toEqual([[], [], ['Uniswap V3']]);
    const better = async () => quote({ inputMint: `0x${harness.a}`, outputMint: COIN });
    const [untaxed, ofV2] = [
      await better(),
      await quote({ inputMint: `0x${harness.a}`, outputMint: COIN, dexes: 'Uniswap V2' }),
    ];
    expect(venues(untaxed)).toEqual(['Uniswap V3']);
    taxed(harness.a);
    const other = await better();
    expect([venues(other), other.outAmount, other.warnings]).toEqual([['Uniswap V2'], ofV2.outAmount, ['taxed_token']]);
    // Where no other venue is allowed, the quote stays and warns.
    expect(await quote({ dexes: 'Uniswap V3' })).toMatchObject({ outAmount: v3.outAmount, warnings: ['taxed_token'] });
    harness.clock.ms += 86_400_001;
    services.mine();
    expect([venues(await better()), (await better()).warnings]).toEqual([['Uniswap V3'], []]);
  });

  it('still quotes a token that no holder can move, with its warning', async () => {
    const before = await quote();
    harness.chain('eth').tokens.note(harness.a, 'not_transferable', { height: 1, time: harness.clock.ms });
    const made = await quote();
    expect([made.outAmount, made.warnings]).toEqual([before.outAmount, ['not_transferable']]);
    const through = await quote({ outputMint: `0x${harness.b}`, dexes: 'Uniswap V2' });
    expect(through.warnings).toEqual(['not_transferable']);
  });

  it('warns of what the indexer found of a token before anybody built, and of what replaces that', async () => {
    const chain = harness.chain('eth');
    const pages: KeyedRecord[] = [];
    const read: EventLog['readKeyed'] = async (_topic, _partition, from) => pages.slice(Number(from));
    const asked: string[] = [];
    const append = async (records: Append[]) =>
      void asked.push(...records.flatMap((one) => ('key' in one ? one.key : [])));
    const writer = { writerId: 'x', append, holdsLease: async () => true, close: async () => {} };
    const log = { ensureTopics: async () => {}, readKeyed: read, openWriter: async () => writer };
    const book = new SafetyBook({ log, records: false, pollMs: 1 }, 'x');
    const end = new AbortController();
    const run = book.run(end.signal);
    chain.safeties = book.of('eth');
    const state = async (values: Parameters<typeof safetyRecord>[0]): Promise<void> => {
      const before = chain.safeties.version;
      const value = encodeSafety(safetyRecord(values));
      const place = { partition: 0, timestamp: 0, offset: BigInt(pages.length) };
      pages.push({ ...place, key: safetyKey('eth', harness.a), value });
      await until('it was read', () => chain.safeties.version !== before);
    };
    const warnings = async () => (await quote({ dexes: 'Uniswap V2' })).warnings;
    expect(await warnings()).toEqual([]);
    await until('the indexer was asked for it', () => asked.includes(safetyKey('eth', harness.a)));
    await state({ sellable: false });
    expect(await warnings()).toEqual(['not_sellable']);
    await state({ transferable: false, sellable: false });
    expect(await warnings()).toEqual(['not_transferable']);
    await state({ sellTaxBps: 300 });
    expect(await warnings()).toEqual(['taxed_token']);
    // What a build found of the very swap counts.
    chain.tokens.note(harness.a, 'not_transferable', { height: 1, time: harness.clock.ms });
    expect(await warnings()).toEqual(['not_transferable']);
    chain.tokens.clear([harness.a]);
    await state({});
    expect(await warnings()).toEqual([]);
    end.abort();
    await run;
    chain.safeties = noSafeties;
  });

  it('is compared where it comes back, and may be missing', async () => {
    const made = await quote({ amount: String(60n * unit), dexes: 'Uniswap V2' });
    const swap = (quoteResponse: object) => harness.post('/evm/swap', { userPublicKey: WALLET, quoteResponse });
    const { impactBps: _i, inUsd: _n, outUsd: _o, warnings: _w, ...contract } = made;
    expect((await swap(contract)).status).toBe(200);
    for (const changed of [{ impactBps: 1 }, { inUsd: 5 }, { warnings: [] }]) {
      const answer = await swap({ ...contract, ...changed });
      expect([answer.status, answer.body.error]).toEqual([400, 'quote_mismatch']);
      expect(answer.body.reason).toContain(`quoteResponse.${Object.keys(changed)[0]}`);
    }
  });

  it('names the sensible amount where none takes all', async () => {
    const amount = String(2n ** 255n);
    const { status, body } = await harness.quote({ amount, dexes: 'Uniswap V2', onlyDirectRoutes: 'true' });
    expect([status, body.error, body.liquidity.mint]).toEqual([422, 'low_liquidity', COIN]);
    const { maxInAmount, sensibleInAmount } = body.liquidity;
    const at = async (value: bigint) =>
      (await quote({ amount: String(value), dexes: 'Uniswap V2', onlyDirectRoutes: 'true' })).impactBps!;
    expect(await at(BigInt(sensibleInAmount))).toBe(5_000);
    expect(await at(BigInt(sensibleInAmount) * 2n)).toBeGreaterThan(6_000);
    expect(await at(BigInt(maxInAmount))).toBe(10_000);
    const sensible = Number(BigInt(sensibleInAmount) / 10n ** 15n) / 1_000;
    // Half of the price is gone where the input is the reserve of a thousand.
    expect(sensible).toBeCloseTo(1_000 / 0.997, 0);
  });
});

describe('a build that is asked wrongly', () => {
  let harness: RouterHarness;
  beforeAll(async () => {
    harness = await RouterHarness.start();
  });
  afterAll(() => harness.close());

  it('with a wallet alone is told of the quote that is missing', async () => {
    const answer = await harness.post('/evm/swap', { userPublicKey: WALLET });
    expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
    expect(answer.body.reason).toMatch(/^quoteResponse is required: .*chain, inputMint, outputMint, amount/);
    const some = await harness.post('/evm/swap', { userPublicKey: WALLET, chain: 'eth' });
    expect(some.body.reason).toContain('inputMint is required');
  });

  it('names the field that was sent when the wallet is the router', async () => {
    const quoteResponse = (await harness.quote()).body;
    const of = async (body: object) => (await harness.post('/evm/swap', { quoteResponse, ...body })).body.reason;
    expect(await of({ userPublicKey: quoteResponse.router })).toMatch(/^userPublicKey must not be the router/);
    expect(await of({ userPublicKey: WALLET, recipient: quoteResponse.router })).toMatch(
      /^recipient must not be the router/,
    );
    const pool = quoteResponse.routePlan[0].swapInfo.ammKey;
    expect(await of({ userPublicKey: pool })).toMatch(/^userPublicKey: 0x.* is a contract of the route/);
    expect(await of({ userPublicKey: WALLET, recipient: pool })).toMatch(/^recipient: 0x.* is a contract of the route/);
  });

  it('takes addresses with their prefix in either case', async () => {
    const shout = (address: string) => address.toUpperCase();
    const plain = (await harness.quote({ outputMint: `0x${harness.a}` })).body;
    const loud = (await harness.quote({ inputMint: shout(COIN), outputMint: shout(`0x${harness.a}`) })).body;
    expect([loud.inputMint, loud.outputMint, loud.outAmount]).toEqual([
      plain.inputMint,
      plain.outputMint,
      plain.outAmount,
    ]);
    const body = { quoteResponse: plain, userPublicKey: shout(WALLET), recipient: shout(`0x${'b2'.repeat(20)}`) };
    expect((await harness.post('/evm/swap', body)).status).toBe(200);
  });
});
