import { checksummed } from '#libs/chain/chains/evm/checksum.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import { quoteBody } from '../src/evm/quote/quote-text.js';
import { receiptOfBuild } from '../src/evm/receipts/receipt-of-build.js';
import { swapAnswer } from '../src/evm/swap/swap-answer.js';
import type { HeldQuotes } from '../src/held/held-quotes.js';
import { MemoryHeldQuotes } from '../src/held/memory-held-quotes.js';
import { QuoteStoreUnavailableError } from '../src/held/quote-store-unavailable.js';
import type { ReceiptMaker } from '../src/receipts/receipt-keeper.js';
import { changed, paths, shuffled } from './changed-quotes.js';
import { noReceipts } from './no-receipts.js';
import { COIN, type Reply, RouterHarness, type Slug, slugs, WALLET } from './router-harness.js';
import { builtOf } from './test-chain.js';

/** The routes of a build: what they let through to the builder, and what they say instead. */
describe('a build', () => {
  let harness: RouterHarness;
  let away = false;
  const kept: ReceiptMaker[] = [];
  const keeping = (make: ReceiptMaker): string => {
    kept.push(make);
    return 'a receipt';
  };
  let keep = keeping;

  beforeAll(async () => {
    harness = await RouterHarness.start({
      held: (now) => awayWhen(new MemoryHeldQuotes({ now }), () => away),
      receipts: { ...noReceipts, add: (_chain, make) => keep(make) },
      requestTimeoutMs: 200_000,
    });
  });
  beforeEach(() => {
    for (const slug of slugs) harness.chain(slug).mine();
  });
  afterAll(() => harness.close());

  const quote = async (changes: Record<string, string> = {}): Promise<EvmQuote> => (await harness.quote(changes)).body;
  const swap = (body: object, path = '/evm/swap') => harness.post(path, { userPublicKey: WALLET, ...body });
  const said = (answer: Reply) => [answer.status, answer.body.error];
  const last = (slug: Slug = 'eth') => harness.chain(slug).builds.at(-1)!;

  it.each(['/evm/swap', '/evm/swap-instructions'])('takes a quote back unchanged on %s', async (path) => {
    for (const chain of slugs) {
      const made = await quote({ chain });
      const answer = await swap({ quoteResponse: made }, path);
      expect(answer.status).toBe(200);
      const { request } = last(chain);
      expect({ ...request, quote: quoteBody(request.quote) }).toEqual({
        quote: made,
        wallet: WALLET.slice(2),
        recipient: null,
        slippageBps: null,
        deadlineSeconds: 300,
      });
      expect(answer.body).toEqual(swapAnswer(builtOf(request)));
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('answers the same on both paths', async () => {
    const quoteResponse = await quote();
    const both = [await swap({ quoteResponse }), await swap({ quoteResponse }, '/evm/swap-instructions')];
    expect(both[0]!.text).toBe(both[1]!.text);
    const refusals = [await swap({ quoteResponse: {} }), await swap({ quoteResponse: {} }, '/evm/swap-instructions')];
    expect(refusals[0]!.text).toBe(refusals[1]!.text);
  });

  it('does not use its quote up', async () => {
    const quoteResponse = await quote();
    for (let i = 0; i < 3; i++) expect((await swap({ quoteResponse })).status).toBe(200);
  });

  it.each([
    ['eth', 30_000],
    ['bsc', 15_000],
    ['base', 15_000],
    ['chaind', 15_000],
  ] as const)('on %s is had until %d ms after the quote, and no longer', async (chain, lifetime) => {
    const start = harness.clock.ms;
    const quoteResponse = await quote({ chain });
    const at = async (ms: number) => {
      harness.clock.ms = start + ms;
      harness.chain(chain).mine();
      return said(await swap({ quoteResponse }));
    };
    expect(await at(lifetime - 1_000)).toEqual([200, undefined]);
    expect(await at(lifetime)).toEqual([200, undefined]);
    expect(await at(lifetime + 1)).toEqual([409, 'quote_expired']);
    expect(await at(lifetime + 3_600_000)).toEqual([409, 'quote_expired']);
  });

  it('knows no other ids', async () => {
    const quoteResponse = await quote();
    for (const quoteId of ['8f14e45f-ceea-4e7a-9c3b-1a2b3c4d5e6f', 'x', '', '__proto__', 'a'.repeat(10_000)]) {
      expect(said(await swap({ quoteResponse: { ...quoteResponse, quoteId } }))).toEqual([409, 'quote_expired']);
    }
  });

  it('needs the id of the quote', async () => {
    const { quoteId: _id, ...rest } = await quote();
    for (const quoteResponse of [rest, { ...rest, quoteId: null }, { ...rest, quoteId: 7 }, {}]) {
      const answer = await swap({ quoteResponse });
      expect(said(answer)).toEqual([400, 'bad_request']);
      expect(answer.body.reason).toContain('quoteResponse.quoteId is required');
    }
    for (const quoteResponse of ['x', 7, true, [rest]]) {
      const answer = await swap({ quoteResponse });
      expect(said(answer)).toEqual([400, 'bad_request']);
      expect(answer.body.reason).toContain('quoteResponse must be the object');
    }
  });

  it('refuses a quote with any field changed or gone', async () => {
    const made = await quote({ outputMint: `0x${harness.c}`, maxHops: '3' });
    expect(made.routePlan).toHaveLength(3);
    const beyond = ['impactBps', 'inUsd', 'outUsd', 'warnings'];
    let tried = 0;
    for (const path of paths(made)) {
      if (path.join() === 'quoteId') continue;
      for (const change of ['other', 'type', 'null', 'gone'] as const) {
        const quoteResponse = changed(made, path, change);
        if (JSON.stringify(quoteResponse) === JSON.stringify(made)) continue;
        const answer = await swap({ quoteResponse });
        // Fields beyond the contract may be missing; where they are there they are compared.
        const accepted = change === 'gone' && beyond.includes(path.join());
        const expected = accepted ? [200, undefined] : [400, 'quote_mismatch'];
        expect({ path, change, said: said(answer) }).toEqual({ path, change, said: expected });
        if (!accepted) expect(answer.body.reason).toContain(String(path[0]));
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(200);
    const shorter = { ...made, routePlan: made.routePlan.slice(1) };
    const longer = { ...made, routePlan: [...made.routePlan, made.routePlan[0]] };
    const turned = { ...made, routePlan: [...made.routePlan].reverse() };
    for (const quoteResponse of [shorter, longer, turned]) {
      expect(said(await swap({ quoteResponse }))).toEqual([400, 'quote_mismatch']);
    }
  });

  it('does not mind the order of fields, unknown ones, or how a number is written', async () => {
    const made = await quote({ outputMint: `0x${harness.b}` });
    const text = JSON.stringify({ userPublicKey: WALLET, quoteResponse: shuffled(made) });
    expect((await harness.post('/evm/swap', text)).status).toBe(200);
    expect((await harness.post('/evm/swap', text.replace('"percent":100', '"percent":1.0e2'))).status).toBe(200);
    expect((await harness.post('/evm/swap', text.replace('"percent":100', '"percent":100.1'))).status).toBe(400);
  });

  describe('from parameters', () => {
    it('quotes, holds and builds at once', async () => {
      const answer = await swap({
        ...harness.usual(),
        amount: 777,
        slippageBps: 30,
        recipient: `0x${'b2'.repeat(20)}`,
      });
      expect(answer.status).toBe(200);
      const { request } = last();
      expect(quoteBody(request.quote)).toMatchObject({ inAmount: '777', slippageBps: 30 });
      expect([request.slippageBps, request.recipient]).toEqual([null, 'b2'.repeat(20)]);
      expect((await swap({ quoteResponse: answer.body.quoteResponse })).status).toBe(200);
    });

    it('has the rules of a quote', async () => {
      expect(said(await swap({ ...harness.usual(), amount: '0' }))).toEqual([400, 'zero_amount']);
      expect(said(await swap({ ...harness.usual(), dexes: 'foo' }))).toEqual([400, 'unknown_dex']);
      expect(said(await swap({ ...harness.usual(), outputMint: `0x${harness.lonely}` }))).toEqual([404, 'no_route']);
      expect(said(await swap({}))).toEqual([400, 'bad_request']);
    });

    it('a quote in the same body counts over them', async () => {
      const quoteResponse = await quote({ amount: '5000' });
      expect((await swap({ ...harness.usual(), amount: '9999', dexes: 'foo', quoteResponse })).status).toBe(200);
      expect(last().request.quote.priced.amountIn).toBe(5_000n);
    });
  });

  describe.each(['userPublicKey', 'recipient'])('%s', (name) => {
    it.each(['', 'x', '0x', `0x${'a'.repeat(39)}`, `0x${'a'.repeat(41)}`, 'a'.repeat(40), 'native', 7, true, {}, []])(
      '%j is no address',
      async (value) => {
        const answer = await swap({ quoteResponse: await quote(), [name]: value });
        expect(said(answer)).toEqual([400, 'bad_request']);
        expect(answer.body.reason).toContain(name);
      },
    );

    it.each([`0x${'0'.repeat(40)}`, `0x${'0'.repeat(39)}1`, `0x${'0'.repeat(39)}2`, `0x${'0'.repeat(36)}ffff`, COIN])(
      '%s is nobody',
      async (value) => {
        const answer = await swap({ quoteResponse: await quote(), [name]: value });
        expect(said(answer)).toEqual([400, 'bad_request']);
        expect(answer.body.reason).toContain(name);
      },
    );

    it('is taken in one case, or with its checksum', async () => {
      const id = 'abcd'.repeat(10);
      for (const address of [`0x${id}`, `0x${id.toUpperCase()}`, `0x${checksummed(id)}`]) {
        expect((await swap({ quoteResponse: await quote(), [name]: address })).status).toBe(200);
        expect(last().request[name === 'recipient' ? 'recipient' : 'wallet']).toBe(id);
      }
    });

    it('is refused with a checksum that is not its own', async () => {
      const address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35A';
      const answer = await swap({ quoteResponse: await quote(), [name]: address });
      expect(said(answer)).toEqual([400, 'bad_request']);
      expect(answer.body.reason).toContain(`${name} has letters of both cases that are not the checksum`);
    });
  });

  it('needs a wallet', async () => {
    for (const body of [{ quoteResponse: await quote() }, { quoteResponse: await quote(), userPublicKey: null }]) {
      const answer = await harness.post('/evm/swap', body);
      expect(said(answer)).toEqual([400, 'bad_request']);
      expect(answer.body.reason).toContain('userPublicKey is required');
    }
  });

  it('sends nothing to the router', async () => {
    for (const made of [
      await quote(),
      await quote({ outputMint: `0x${harness.chain('eth').spec.wrappedNative.token}` }),
    ]) {
      const answer = await swap({ quoteResponse: made, recipient: made.router.toUpperCase().replace('X', 'x') });
      expect(said(answer)).toEqual([400, 'bad_request']);
      expect(answer.body.reason).toContain('recipient must not be the router');
    }
  });

  it.each([
    ['slippageBps', 0, true],
    ['slippageBps', '10000', true],
    ['slippageBps', 10_001, false],
    ['slippageBps', -1, false],
    ['slippageBps', 1.5, false],
    ['slippageBps', 'x', false],
    ['slippageBps', {}, false],
    ['deadlineSeconds', 1, true],
    ['deadlineSeconds', '3600', true],
    ['deadlineSeconds', 0, false],
    ['deadlineSeconds', 3_601, false],
    ['deadlineSeconds', -5, false],
    ['deadlineSeconds', 1.5, false],
    ['deadlineSeconds', 'soon', false],
  ] as const)('%s %j', async (name, value, good) => {
    const answer = await swap({ quoteResponse: await quote(), [name]: value });
    if (good) {
      expect(answer.status).toBe(200);
      expect(last().request[name]).toBe(Number(value));
    } else {
      expect(said(answer)).toEqual([400, 'bad_request']);
      expect(answer.body.reason).toContain(`${name} must be`);
    }
  });

  describe('readiness', () => {
    it('is asked after the parameters', async () => {
      const services = harness.chain('base');
      const quoteResponse = await quote({ chain: 'base' });
      services.verified = () => false;
      const answer = await swap({ quoteResponse });
      expect(answer.body).toEqual({ error: 'not_ready', reasons: ['base: no venue verified yet'] });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(said(await swap({ quoteResponse: { ...quoteResponse, inAmount: '1' } }))).toEqual([400, 'quote_mismatch']);
      services.verified = (venue) => venue !== quoteResponse.routePlan[0]!.venueId.replace('base-', '');
      expect((await swap({ quoteResponse })).body.reasons).toEqual([
        `base: ${quoteResponse.routePlan[0]!.swapInfo.label} is not verified any more`,
      ]);
      services.verified = () => true;
      expect((await swap({ quoteResponse })).status).toBe(200);
    });

    it('ends when the held quotes do not answer', async () => {
      const quoteResponse = await quote();
      away = true;
      try {
        for (const answer of [await swap({ quoteResponse }), await harness.quote()]) {
          expect(answer.body).toEqual({
            error: 'not_ready',
            reasons: ['eth: the store of held quotes does not answer'],
          });
          expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
        }
        expect((await swap({ quoteResponse, deadlineSeconds: 0 })).status).toBe(400);
      } finally {
        away = false;
      }
      expect((await swap({ quoteResponse })).status).toBe(200);
    });
  });

  describe('that fails', () => {
    const services = () => harness.chain('eth');
    const original = builtOf;
    afterEach(() => {
      services().build = (request) => Promise.resolve(original(request));
      keep = keeping;
    });

    it.each([
      [409, 'simulation_failed'],
      [409, 'quote_moved'],
      [422, 'insufficient_funds'],
      [422, 'fee_on_transfer'],
      [422, 'token_not_transferable'],
      [503, 'rpc'],
    ])('says so: %d %s', async (status, code) => {
      services().build = () => Promise.reject(new HttpProblem(status, code, `because ${code}`));
      const answer = await swap({ quoteResponse: await quote() });
      expect([answer.status, answer.body]).toEqual([status, { error: code, reason: `because ${code}` }]);
      expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    });

    it('has no receipt; one that is answered has', async () => {
      kept.length = 0;
      services().build = () => Promise.reject(new HttpProblem(409, 'quote_moved', 'x'));
      const quoteResponse = await quote();
      await swap({ quoteResponse });
      expect(kept).toEqual([]);
      services().build = (request) => Promise.resolve(original(request));
      expect((await swap({ quoteResponse })).status).toBe(200);
      const place = { epoch: 1, seq: 7 };
      const receipts = kept.map((make) => make(place, 5));
      const receipt = receiptOfBuild(original(last().request), null, place, 5)!;
      expect(receipts).toEqual([{ ...receipt, id: expect.any(String) }]);
      expect(receipt.quoteId).toBe(quoteResponse.quoteId);
    });

    it('is not the receipt’s fault', async () => {
      keep = () => {
        throw new Error('full');
      };
      expect((await swap({ quoteResponse: await quote() })).status).toBe(200);
      expect(harness.problems.splice(0)).toHaveLength(1);
    });
  });
});

function awayWhen(store: HeldQuotes, away: () => boolean): HeldQuotes {
  const check = async () => {
    if (away()) throw new QuoteStoreUnavailableError(new Error('ECONNREFUSED'));
  };
  return {
    hold: async (...held) => {
      await check();
      return store.hold(...held);
    },
    find: async (id) => {
      await check();
      return store.find(id);
    },
  };
}
