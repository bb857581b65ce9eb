import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { evmPricer } from '../src/evm/quote/price-quote.js';
import { QuoteParameterReader } from '../src/evm/quote/quote-parameters.js';
import { MemoryHeldQuotes } from '../src/held/memory-held-quotes.js';
import { QuerySource } from '../src/http/parameter-source.js';
import { QuoteRequest } from '../src/quotes/quote-request.js';
import { type MadeQuote, QuoteService } from '../src/quotes/quote-service.js';
import { RouterHarness, WALLET } from './router-harness.js';
import { pairPool } from './test-pools.js';

/** What of a quote is its own each time. */
const changing = ({ quoteId, timeTaken, expiresAt, ...rest }: EvmQuote) => ({ quoteId, timeTaken, expiresAt, rest });

describe('a request that is made again', () => {
  let router: RouterHarness;
  let held: MemoryHeldQuotes;
  beforeEach(async () => {
    router = await RouterHarness.start({
      held: (now) => {
        held = new MemoryHeldQuotes({ now });
        return held;
      },
    });
  });
  afterEach(() => router.close());

  const asks = [
    ['GET', async () => (await router.quote()).body as EvmQuote],
    ['POST', async () => (await router.post('/evm/quote', router.usual())).body as EvmQuote],
  ] as const;

  describe.each(asks)('by %s', (_method, ask) => {
    it('is the same quote with an id, a time and a life of its own, held for itself', async () => {
      const first = changing(await ask());
      router.clock.ms += 7;
      const second = changing(await ask());
      expect(second.rest).toEqual(first.rest);
      expect(second.quoteId).not.toBe(first.quoteId);
      expect(Date.parse(second.expiresAt) - Date.parse(first.expiresAt)).toBe(7);
      expect(second.timeTaken).toBeGreaterThan(0);
      expect(held.size).toBe(2);
      for (const { quoteId, rest } of [first, second])
        expect(JSON.parse((await held.find(quoteId))!)).toMatchObject(rest);
    });

    it('expires when it says, to the millisecond', async () => {
      await ask();
      router.clock.ms += 100;
      const quoteResponse = await ask();
      const build = async () =>
        (await router.post('/evm/swap', { userPublicKey: WALLET, quoteResponse })).body.error as string | undefined;
      router.clock.ms = Date.parse(quoteResponse.expiresAt);
      // The head must be as young as a build needs it.
      router.chain('eth').mine([], router.clock.ms);
      expect(await build()).toBeUndefined();
      router.clock.ms += 1;
      expect(await build()).toBe('quote_expired');
    });

    it('follows the pools', async () => {
      const before = await ask();
      const services = router.chain('eth');
      const { wrappedNative, venues } = services.spec;
      const { fee } = venues[0]!.contracts!;
      const ppm = ((fee!.denominator - fee!.numerator) * 1_000_000) / fee!.denominator;
      const unit = 10n ** 18n;
      services.mine([
        pairPool(venues[0]!.venue, ppm, [wrappedNative.token, 1_000n * unit], [router.a, 10n ** 7n * unit]),
      ]);
      const after = await ask();
      expect(after.contextSlot).toBe(before.contextSlot + 1);
      expect(after.blockHash).not.toBe(before.blockHash);
      expect(BigInt(after.outAmount)).toBeGreaterThan(BigInt(before.outAmount));
    });

    it('follows an empty block', async () => {
      const before = await ask();
      router.chain('eth').mine();
      const after = await ask();
      expect([after.contextSlot, after.outAmount]).toEqual([before.contextSlot + 1, before.outAmount]);
    });

    it('follows pools that are not trusted any more', async () => {
      const before = await ask();
      const { book } = router.chain('eth');
      book.distrust(before.routePlan[0]!.swapInfo.ammKey.slice(2));
      const after = await ask();
      expect(after.routePlan[0]!.swapInfo.ammKey).not.toBe(before.routePlan[0]!.swapInfo.ammKey);
      expect(after.contextSlot).toBe(before.contextSlot);
    });

    it('follows the venues that are verified', async () => {
      const services = router.chain('eth');
      const labels = new Set<string>();
      for (const venue of [services.spec.venues[0]!, services.spec.venues[1]!]) {
        services.verified = (each) => each === venue.venue;
        const quote = await ask();
        expect(quote.routePlan[0]!.venueId).toBe(venue.id);
        labels.add(quote.routePlan[0]!.swapInfo.label);
      }
      expect(labels.size).toBe(2);
      services.verified = () => false;
      expect(await ask()).toMatchObject({ error: 'not_ready' });
    });

    it('is refused as soon as the head is old', async () => {
      expect((await ask()).quoteId).toBeDefined();
      router.clock.ms += 10 * 60_000;
      expect(await ask()).toMatchObject({ error: 'not_ready' });
    });
  });

  it('in other words is another question', async () => {
    const [small, large] = [await router.quote(), await router.quote({ amount: '2000000000000000000' })];
    expect(small.body.inAmount).not.toBe(large.body.inAmount);
    const [again, floor] = [await router.quote(), await router.quote({ slippageBps: '100' })];
    expect(again.body.otherAmountThreshold).toBe(small.body.otherAmountThreshold);
    expect(floor.body.otherAmountThreshold).not.toBe(small.body.otherAmountThreshold);
  });

  it('by bytes that are no UTF-8 is not the one they look like', async () => {
    // Read with leniency, the byte that is none would be this very character.
    const parameters = JSON.stringify({ ...router.usual(), note: '\ufffd' });
    const bytes = Buffer.from(parameters.replace('\ufffd', '\u00ff'), 'latin1');
    for (let i = 0; i < 2; i++) {
      expect((await router.post('/evm/quote', parameters)).status).toBe(200);
      const answer = await router.get('/evm/quote', { method: 'POST', body: bytes });
      expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
    }
  });

  it('with a key is asked for it each time', async () => {
    const keyed = await RouterHarness.start({ keys: true });
    try {
      for (let i = 0; i < 3; i++) {
        expect((await keyed.quote()).status).toBe(200);
        expect((await keyed.get(`/evm/quote?${new URLSearchParams(keyed.usual())}`, { key: null })).status).toBe(401);
      }
    } finally {
      await keyed.close();
    }
  });

  it('has the headers of every answer, by HEAD too', async () => {
    const path = `/evm/quote?${new URLSearchParams(router.usual())}`;
    const shown = async (method: string) => {
      const { status, headers, text } = await router.get(path, { method, headers: { 'x-request-id': 'mine' } });
      const names = [...headers.keys()].filter((name) => !['date', 'connection', 'keep-alive'].includes(name)).sort();
      return { status, names, text, id: headers.get('x-request-id'), headers };
    };
    const [got, head] = [await shown('GET'), await shown('HEAD')];
    expect([got.status, head.status, got.id, head.text]).toEqual([200, 200, 'mine', '']);
    expect(head.names).toEqual(got.names);
    expect(got.names).toEqual([
      ...['access-control-allow-origin', 'access-control-expose-headers', 'cache-control', 'content-length'],
      ...['content-type', 'x-request-id'],
    ]);
    expect(Number(got.headers.get('content-length'))).toBe(Buffer.byteLength(got.text));
    expect(got.headers.get('cache-control')).toBe('no-store');
  });

  it('never gives an id twice', async () => {
    const [chain, now] = [router.chain('eth'), () => router.clock.ms];
    const reader = new QuoteParameterReader([chain]);
    const quotes = new QuoteService(evmPricer, held, now);
    const request: Parameters<typeof quotes.make>[0] = new QuoteRequest(reader.read(new QuerySource(router.usual())));
    const ids = new Set<string>();
    let last = '';
    for (let i = 0; i < 100_000; i++) {
      const made = quotes.make(request, performance.now()) as MadeQuote<unknown>;
      ids.add(made.quoteId);
      last = made.quoteId;
    }
    expect(ids.size).toBe(100_000);
    expect(JSON.parse((await held.find(last))!).quoteId).toBe(last);
    expect(held.bytes).toBeLessThanOrEqual(96 * 1024 * 1024);
  });
});
