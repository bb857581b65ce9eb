import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { hotLimits } from '#libs/serve/reader/hot/hot-states.js';
import { priceRows } from '../src/tokens/price-rows.js';
import { SharedPrices } from '../src/tokens/shared-prices.js';
import { ApiHarness } from './api-harness.js';

/** Lists of prices that ask in one turn cost one read; each list has its own rows, in its own order, of its own view. */
const [seed] = seeds(1) as [number];
describe(`prices that several lists show (seed ${seed})`, () => {
  const market = marketWith(seed, { groups: 60 }, (naive) => tokensOf(naive).length >= 4);
  const { facts } = market;
  let harness: ApiHarness;
  let asked: string[][];

  beforeAll(async () => {
    harness = await ApiHarness.start(market, {}, null, null, hotLimits(0));
    await harness.advance(facts.length - 1, facts.length - 1);
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => harness.close());

  const tokens = tokensOf(new NaiveMarket(market.chain, facts, facts.length - 1));

  /** The newest view, with what is asked of the tables' token records noted. */
  function noted(failing = false): ChainView {
    const view = harness.reader.view();
    const reads = Object.assign(Object.create(view.reads) as MarketReads, {
      tokens: async (...[tables, ids]: Parameters<MarketReads['tokens']>) => {
        asked.push([...ids]);
        if (failing) throw new Error('the tables are away');
        return view.reads.tokens(tables, ids);
      },
    });
    // No tail: every record is asked for.
    return { ...view, reads, groups: [] };
  }

  it('are read once for all lists that ask in one turn, and not again at the same view', async () => {
    const prices = new SharedPrices();
    const view = noted();
    const lists = [tokens.slice(0, 3), tokens.slice(1, 4).reverse(), tokens.slice(0, 1)];
    const found = await Promise.all(lists.map((list) => prices.rows(view, list)));
    expect(asked).toHaveLength(1);
    expect(await prices.rows(view, tokens.slice(0, 4))).toHaveLength(4);
    expect(asked).toHaveLength(1);
    const rows = await priceRows(view, tokens);
    expect(found).toEqual(lists.map((list) => list.map((token) => rows.get(token))));
  });

  it('are read again at another view', async () => {
    const prices = new SharedPrices();
    const view = noted();
    await prices.rows(view, tokens.slice(0, 2));
    await prices.rows({ ...view, pin: { ...view.pin, seq: view.pin.seq - 1 } }, tokens.slice(0, 2));
    expect(asked).toHaveLength(2);
  });

  it('are asked for again after a read that failed', async () => {
    const prices = new SharedPrices();
    await expect(prices.rows(noted(true), tokens.slice(0, 2))).rejects.toThrow('the tables are away');
    expect(await prices.rows(noted(), tokens.slice(0, 2))).toHaveLength(2);
  });
});

/** Of the surviving blocks. */
function tokensOf({ blocks }: NaiveMarket): string[] {
  return [...new Set(blocks.flatMap(({ tokens }) => tokens.map(({ token }) => token)))];
}
