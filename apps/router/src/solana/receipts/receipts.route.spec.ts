import { eth, sol } from '#libs/chain/catalogue/test/chain-specs.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { randomReceipt, randomSolanaReceipt } from '#libs/pipeline/store/receipts/test/random-receipt.js';
import { type QuoteReceipt, receiptDifference } from '#libs/protocol/receipts.js';
import { AccountWorld } from '#libs/serve/accounts/test/account-world.js';
import type { SolReceiptsAnswer } from '#libs/serve/contract/rest/solana/receipt-body.js';
import { routeOfHandler } from '#libs/serve/http/declared-route.js';
import type { Listener } from '#libs/serve/http/listener.js';
import { ReceiptsRoute } from '../../evm/receipts/receipts.route.js';
import { ReceiptsOverHttp } from '../../receipts/test/receipts-over-http.js';
import { SolanaReceiptsRoute } from './receipts.route.js';

describe('GET /receipts', () => {
  const random = new SeededRandom(7);
  const receipts: QuoteReceipt[] = Array.from({ length: 40 }, (_, n) =>
    randomSolanaReceipt(random, { builtAt: 1_700_000_000_000 + Math.floor(n / 2) }),
  );
  const others = Array.from({ length: 3 }, () => randomSolanaReceipt(random, { account: 'a' }));
  /** Of the same account, on another family's chain. */
  const onEvm = Array.from({ length: 4 }, () => randomReceipt(random));
  const newestFirst = [...receipts].sort((a, b) => b.builtAt - a.builtAt || (a.id < b.id ? 1 : -1));
  const [first] = newestFirst as [QuoteReceipt];
  const wallet = sol.ids.formatAddress(first.wallet);
  const all = [...receipts, ...others, ...onEvm];
  let served: ReceiptsOverHttp;

  beforeAll(async () => {
    served = await ReceiptsOverHttp.start({
      chains: [eth, sol],
      receipts: all,
      routesOf: (keeper) => [
        routeOfHandler(SolanaReceiptsRoute, new SolanaReceiptsRoute(keeper, { spec: sol })),
        routeOfHandler(ReceiptsRoute, new ReceiptsRoute(keeper)),
      ],
    });
  });
  afterAll(() => served.close());

  const ask = (query: string, path = '/receipts') => served.ask<SolReceiptsAnswer>(`${path}?${query}`);
  const idsOf = ({ data }: SolReceiptsAnswer): string[] => data.map(({ id }) => id);

  it('shows all of a receipt, ids as people write them, newest first, and no other family’s', async () => {
    const { status, body } = await ask('limit=200');
    expect([status, body.next, idsOf(body)]).toEqual([200, null, newestFirst.map(({ id }) => id)]);
    const index = newestFirst.findIndex(({ state, exact }) => state === 'executed' && exact === 'out');
    const receipt = newestFirst[index]!;
    const { formatAddress, formatTx } = sol.ids;
    expect(body.data[index]).toMatchObject({
      ...{ swapMode: 'ExactOut', wallet: formatAddress(receipt.wallet), inputMint: formatAddress(receipt.inputMint) },
      otherAmountThreshold: receipt.threshold.toString(),
      legs: receipt.legs.map(({ shareBps, amount, hops }) => ({
        ...{ bps: shareBps, amount: amount.toString() },
        steps: hops.map(({ pool, dex }) => ({ ammKey: formatAddress(pool), label: dex })),
      })),
      executed: {
        tx: formatTx(receipt.executed!.tx),
        inAmount: receipt.executed!.inAmount.toString(),
        differenceBps: Number(receiptDifference(receipt, 'quote')) / 100,
        slotsLater: receipt.executed!.block - receipt.buildBlock.number,
      },
    });
    expect(body.summary.count).toBe(receipts.length);
    expect(idsOf((await ask('limit=200', '/evm/receipts')).body).sort()).toEqual(onEvm.map(({ id }) => id).sort());
  });

  it('shows the builds of the account whose key asks, also by a cursor of another account', async () => {
    const world = new AccountWorld({ ms: Date.now() }, { rate: 0, credits: null });
    const [theirs, all] = [await served.open(world.admission), await served.open(null)];
    try {
      const from = async ({ url }: Listener, query: string) => {
        const answer = await fetch(`${url}/receipts?${query}`, { headers: { 'x-api-key': world.key } });
        return idsOf((await answer.json()) as SolReceiptsAnswer).sort();
      };
      const ids = others.map(({ id }) => id).sort();
      expect(await from(theirs, 'limit=200')).toEqual(ids);
      const { next } = (await ask('limit=1')).body;
      expect(ids).toEqual(expect.arrayContaining(await from(theirs, `limit=200&cursor=${next}`)));
      expect(await from(all, 'limit=200')).toHaveLength(receipts.length + others.length);
    } finally {
      await Promise.all([theirs.close(), all.close()]);
    }
    expect((await fetch(`${served.listener.url}/receipts`)).status).toBe(401);
  });

  it.each(['', 'state=built', `wallet=${wallet}`, `wallet=${wallet}&state=executed`])(
    'pages hold every receipt once, and the cursor keeps the filter (%s)',
    async (filter) => {
      const whole = (await ask(`${filter}&limit=200`)).body;
      const ids: string[] = [];
      let cursor = '';
      do {
        // The filter is given with the first page alone.
        const { status, body } = await ask(cursor === '' ? `${filter}&limit=3` : `limit=3${cursor}`);
        expect([status, body.summary]).toEqual([200, whole.summary]);
        ids.push(...idsOf(body));
        cursor = body.next === null ? '' : `&cursor=${body.next}`;
      } while (cursor !== '');
      expect(ids).toEqual(idsOf(whole));
      expect(ids.length).toBe(whole.summary.count);
      expect(ids.length).toBeGreaterThan(3);
    },
  );

  it('takes no other filter with a cursor, and no cursor of the other family', async () => {
    const { next } = (await ask(`wallet=${wallet}&state=executed&limit=1`)).body;
    for (const [name, other] of [
      ['state', 'state=built'],
      ['wallet', `wallet=${sol.ids.formatAddress('9'.repeat(64))}`],
    ]) {
      const reason = `${name} must be that of the first page, or left out: the cursor keeps it`;
      expect(await ask(`${other}&cursor=${next}`)).toEqual({ status: 400, body: { error: 'bad_request', reason } });
    }
    const reason = 'cursor is not one this route gave: start again from the first page';
    const refused = { status: 400, body: { error: 'bad_request', reason } };
    expect(await ask(`cursor=${next}`, '/evm/receipts')).toEqual(refused);
    expect(await ask(`cursor=${(await ask('limit=1', '/evm/receipts')).body.next}`)).toEqual(refused);
  });

  it.each([
    ['wallet=0x12', /^wallet must be a base58 address/],
    [`wallet=0x${'a'.repeat(40)}`, /^wallet must be a base58 address/],
    ['state=gone', /^state must be one of built, executed, expired/],
    ['limit=201', /^limit must be a whole number from 1 to 200/],
    ['cursor=abc', /^cursor is not one/],
  ])('%s is refused', async (query, reason) => {
    const { status, body } = await ask(query);
    expect([status, body]).toEqual([400, { error: 'bad_request', reason: expect.stringMatching(reason) }]);
  });
});
