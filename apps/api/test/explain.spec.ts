import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { bucketEnd, type Interval } from '#libs/pipeline/fold/candles.js';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { ApiHarness } from './api-harness.js';

/** Trades that the candles of a history have at least. */
const ENOUGH = 10;

/** The places in the chain that `explain=1` names, looked up in the surviving blocks. */
describe.each(seeds(10))('explained answers (seed %i)', (seed) => {
  // Enough trades of a day that set prices, of what is neither coin nor stable.
  const market = marketWith(seed, { groups: 90, retractions: 0.1 }, (known, { chain }) => {
    const day = known.blocks.filter(({ time }) => time > known.head.time - 86_400_000);
    const counted = day.flatMap(({ trades }) =>
      trades.filter((trade) => trade.uncounted === null && trade.priceUsd !== null),
    );
    const references = [chain.wrappedNative.token, ...chain.stables.map(({ token }) => token)];
    const priced = known.tokens().some(({ token }) => !references.includes(token) && known.price(token));
    return counted.length > ENOUGH && priced;
  });
  const last = market.facts.length - 1;
  let harness: ApiHarness;
  let naive: NaiveMarket;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(last, Math.floor(last * 0.6));
    naive = new NaiveMarket(market.chain, market.facts, last);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const place = (row: { block: number; tx: string; ordinal: number } | undefined) =>
    row === undefined ? null : { block: row.block, transaction: `0x${row.tx}`, log: row.ordinal };

  it('names the trades that are the prices of a candle', async () => {
    let compared = 0;
    for (const { token } of naive.tokens()) {
      for (const interval of ['1s', '1m', '1h', '1d'] as Interval[]) {
        const path = `/tokens/eth/0x${token}/candles?interval=${interval}&limit=5`;
        const plain = (await harness.get(path)).body.data as CandleBody[];
        const body = await harness.documented(`${path}&explain=1`, 'CandlesAnswer');
        for (const [index, { explain, ...candle }] of (body.data as CandleBody[]).entries()) {
          expect(candle).toEqual(plain[index]);
          const end = bucketEnd(interval, candle.time);
          const trades = naive
            .trades(token)
            .reverse()
            .filter(({ time, base, uncounted, priceUsd }) => {
              return time >= candle.time && time < end && base === token && uncounted === null && priceUsd !== null;
            });
          const byPrice = [...trades].sort(
            (a, b) => Number(a.priceUsd! > b.priceUsd!) - Number(a.priceUsd! < b.priceUsd!),
          );
          const [low, high] = [byPrice[0]?.priceUsd, byPrice.at(-1)?.priceUsd];
          expect(explain).toEqual({
            open: place(trades[0]),
            high: place(trades.find(({ priceUsd }) => priceUsd === high)),
            low: place(trades.find(({ priceUsd }) => priceUsd === low)),
            close: place(trades.at(-1)),
          });
          compared += trades.length;
        }
      }
    }
    expect(compared).toBeGreaterThan(ENOUGH);
  });

  it('walks a price from the token to what is worth USD', async () => {
    let walked = 0;
    for (const { token, decimals } of naive.tokens()) {
      const plain = (await harness.get(`/tokens/eth/0x${token}`)).body;
      const { data, meta } = await harness.documented(`/tokens/eth/0x${token}?explain=1`, 'TokenAnswer');
      const { explain, ...row } = data;
      expect({ data: row, meta }).toEqual(plain);
      const { price } = explain;
      if (row.priceUsd !== null && price.length > 0) {
        const product = price.reduce((all: number, step: { price: number }) => all * step.price, 1);
        // Of several pools the price is between theirs.
        const single = price.every(({ pools }: { pools: object[] }) => pools.length < 2);
        if (row.priceUsd > 1e-18 && single) expect(product / row.priceUsd).toBeCloseTo(1, 6);
        const { pools, pool } = price[0];
        if (pool !== null) expect(pools[0]).toEqual({ pool, quoteToken: price[0].quoteToken, price: price[0].price });
        expect(price[0].token).toBe(row.address);
        expect(price.at(-1).pool).toBeNull();
        walked++;
      }
      for (const [index, step] of price.entries()) {
        if (step.pool === null) continue;
        expect(price[index + 1]?.token).toBe(step.quoteToken);
        expect(step.block).toBeLessThanOrEqual(naive.head.height);
        if (step.transaction === null) continue;
        const trade = naive
          .trades(step.token.slice(2))
          .find(({ tx, ordinal }) => `0x${tx}` === step.transaction && ordinal === step.log);
        expect(trade).toMatchObject({ pool: step.pool.slice(2), block: step.block });
      }
      const transfers = naive.blocks.flatMap((block) =>
        block.transfers
          .filter((transfer) => transfer.token === token)
          .map((transfer) => ({ ...transfer, block: block.height })),
      );
      expect(explain.holders).toMatchObject({
        firstTransfer: place(transfers[0]),
        lastTransfer: place(transfers.at(-1)),
        complete: row.holders !== null,
      });
      if (decimals !== null && row.holders !== null) expect(explain.holders.minted).not.toBeNull();
      const holders = await harness.documented(`/tokens/eth/0x${token}/holders?explain=1`, 'HoldersAnswer');
      expect(holders.explain).toEqual(explain.holders);
    }
    expect(walked).toBeGreaterThan(0);
  });

  it('refuses what cannot be explained', async () => {
    const path = `/tokens/eth/0x${naive.tokens()[0]!.token}/candles?explain=1`;
    const cases: [string, string][] = [
      ['', 'limit must be at most 20'],
      ['&limit=21', 'limit must be at most 20'],
      ['&limit=5&currency=native', 'currency must be usd'],
      ['&limit=5&fill=1', 'neither fill nor continuous'],
      ['&limit=5&continuous=true', 'neither fill nor continuous'],
    ];
    for (const [query, message] of cases) {
      const { status, body } = await harness.get(path + query);
      expect({ query, status, message: body.error?.message }).toEqual({
        ...{ query, status: 400 },
        message: expect.stringContaining(message),
      });
    }
    expect((await harness.get(`${path}maybe&limit=5`)).status).toBe(400);
  });
});
