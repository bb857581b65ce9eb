import { base, eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { randomReceipt } from '#libs/pipeline/store/receipts/test/random-receipt.js';
import { poolsOf, type QuoteReceipt } from '#libs/protocol/receipts.js';
import { AccountWorld } from '#libs/serve/accounts/test/account-world.js';
import type { EvmReceiptsAnswer } from '#libs/serve/contract/rest/evm/receipt-body.js';
import { routeOfHandler } from '#libs/serve/http/declared-route.js';
import type { Listener } from '#libs/serve/http/listener.js';
import { ReceiptsOverHttp } from '../../receipts/test/receipts-over-http.js';
import { ReceiptsRoute } from './receipts.route.js';

describe('GET /evm/receipts', () => {
  const random = new SeededRandom(7);
  const receipts: QuoteReceipt[] = Array.from({ length: 60 }, (_, n) =>
    randomReceipt(random, { chain: n % 3 === 0 ? 'base' : 'eth', builtAt: 1_700_000_000_000 + Math.floor(n / 2) }),
  );
  /** Of another account, which the first one never sees. */
  const others = Array.from({ length: 5 }, () => randomReceipt(random, { account: 'a', wallet: receipts[0]!.wallet }));
  const newestFirst = [...receipts].sort((a, b) => b.builtAt - a.builtAt || (a.id < b.id ? 1 : -1));
  let served: ReceiptsOverHttp;

  beforeAll(async () => {
    served = await ReceiptsOverHttp.start({
      chains: [eth, base],
      receipts: [...receipts, ...others],
      routesOf: (keeper) => [routeOfHandler(ReceiptsRoute, new ReceiptsRoute(keeper))],
    });
  });
  afterAll(() => served.close());

  const ask = (query: string) => served.ask<EvmReceiptsAnswer>(`/evm/receipts?${query}`);

  it('are those of the account whose key built them, also by wallet and by a cursor of another account', async () => {
    const world = new AccountWorld({ ms: Date.now() }, { rate: 0, credits: null });
    const [theirs, all] = [await served.open(world.admission), await served.open(null)];
    try {
      const from = async ({ url }: Listener, query: string) => {
        const answer = await fetch(`${url}/evm/receipts?${query}`, { headers: { 'x-api-key': world.key } });
        return ((await answer.json()) as EvmReceiptsAnswer).data.map(({ id }) => id).sort();
      };
      const ids = others.map(({ id }) => id).sort();
      expect(await from(theirs, 'limit=200')).toEqual(ids);
      expect(await from(theirs, `limit=200&wallet=0x${receipts[0]!.wallet}`)).toEqual(ids);
      const { next } = (await ask('limit=1')).body;
      expect(ids).toEqual(expect.arrayContaining(await from(theirs, `limit=200&cursor=${next}`)));
      // A router without keys has one user.
      expect(await from(all, 'limit=200')).toHaveLength(receipts.length + others.length);
    } finally {
      await Promise.all([theirs.close(), all.close()]);
    }
  });

  it('needs a key', async () => {
    const answer = await fetch(`${served.listener.url}/evm/receipts`);
    expect(answer.status).toBe(401);
  });

  it('shows all of a receipt, newest first', async () => {
    const { status, body } = await ask('limit=200');
    expect(status).toBe(200);
    expect(body.next).toBeNull();
    expect(body.data.map(({ id }) => id)).toEqual(newestFirst.map(({ id }) => id));
    const index = newestFirst.findIndex(({ state }) => state === 'executed');
    const receipt = newestFirst[index]!;
    const { executed } = receipt;
    expect(body.data[index]).toMatchObject({
      quoteId: receipt.quoteId,
      wallet: `0x${receipt.wallet}`,
      inAmount: receipt.inAmount.toString(),
      pools: poolsOf(receipt).map((pool) => `0x${pool}`),
      builtAt: new Date(receipt.builtAt).toISOString(),
      state: 'executed',
      executed: {
        tx: `0x${executed!.tx}`,
        outAmount: executed!.outAmount.toString(),
        differenceBps: Number(((executed!.outAmount - receipt.quotedOut) * 1_000_000n) / receipt.quotedOut) / 100,
        blocksLater: executed!.block - receipt.buildBlock.number,
      },
    });
    const differences = receipts
      .filter(({ state }) => state === 'executed')
      .map(({ executed, quotedOut }) => Number(((executed!.outAmount - quotedOut) * 1_000_000n) / quotedOut))
      .sort((a, b) => a - b);
    const half = differences.length / 2;
    const median =
      differences.length % 2 === 1
        ? differences[Math.floor(half)]!
        : Math.trunc((differences[half - 1]! + differences[half]!) / 2);
    expect(body.summary).toEqual({
      count: 60,
      executed: differences.length,
      medianDifferenceBps: median / 100,
      worstDifferenceBps: differences[0]! / 100,
    });
  });

  it.each(['', 'chain=8453', 'chain=ETHEREUM&state=executed', 'state=built', `wallet=0x${'A'.repeat(39)}1`])(
    'pages hold every receipt once (%s)',
    async (filter) => {
      const whole = (await ask(`${filter}&limit=200`)).body;
      const ids: string[] = [];
      let cursor = '';
      do {
        const { status, body } = await ask(`${filter}&limit=7${cursor}`);
        expect(status).toBe(200);
        expect(body.summary).toEqual(whole.summary);
        ids.push(...body.data.map(({ id }) => id));
        cursor = body.next === null ? '' : `&cursor=${body.next}`;
      } while (cursor !== '');
      expect(ids).toEqual(whole.data.map(({ id }) => id));
      expect(ids.length).toBeGreaterThan(0);
      expect(ids.length).toBe(whole.summary.count);
    },
  );

  it('a cursor keeps the filter of its list: it may be left out, and no other is taken', async () => {
    const wallet = newestFirst[0]!.wallet;
    const lists = ['state=built', 'chain=eth&state=executed', 'chain=base'];
    for (const filter of lists) {
      const { next } = (await ask(`${filter}&limit=2`)).body;
      const [given, left] = [await ask(`${filter}&limit=3&cursor=${next}`), await ask(`limit=3&cursor=${next}`)];
      expect(given.body.data).toHaveLength(3);
      expect(left.body).toEqual(given.body);
    }
    const { next } = (await ask('chain=eth&state=executed&limit=2')).body;
    const others = [
      ['state', 'state=built'],
      ['chain', 'chain=base'],
      ['wallet', `wallet=0x${wallet}`],
    ] as const;
    for (const [name, other] of others) {
      const { status, body } = await ask(`${other}&cursor=${next}`);
      const reason = `${name} must be that of the first page, or left out: the cursor keeps it`;
      expect([status, body]).toEqual([400, { error: 'bad_request', reason }]);
    }
  });

  it('takes a wallet with its prefix in either case', async () => {
    const wallet = newestFirst[0]!.wallet;
    const lower = await ask(`wallet=0x${wallet}`);
    expect(lower.body.data.length).toBeGreaterThan(0);
    expect((await ask(`wallet=0X${wallet.toUpperCase()}`)).body).toEqual(lower.body);
  });

  it('an empty list has no differences', async () => {
    const { body } = await ask(`wallet=0x${'9'.repeat(40)}`);
    expect(body).toEqual({
      data: [],
      next: null,
      summary: { count: 0, executed: 0, medianDifferenceBps: null, worstDifferenceBps: null },
    });
  });

  it.each([
    ['chain=sol', /^chain must be one of eth, base/],
    ['chain=', /^chain must be one of/],
    ['wallet=0x12', /^wallet must be a 0x address/],
    ['state=gone', /^state must be one of built, executed, expired/],
    ['limit=0', /^limit must be a whole number from 1 to 200/],
    ['limit=201', /^limit must be/],
    ['cursor=abc', /^cursor is not one/],
    [`cursor=${'a'.repeat(3000)}`, /^cursor must have at most/],
  ])('%s is refused', async (query, reason) => {
    const { status, body } = await ask(query);
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'bad_request', reason: expect.stringMatching(reason) });
  });
});
