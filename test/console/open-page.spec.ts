import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import { pow10 } from '#libs/core/money.js';
import { until } from '#libs/devkit/testing/until.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import { ApiHarness } from '../../apps/api/test/api-harness.js';
import { openBrowser } from '../../bench/lib/chromium.js';
import { WideMarket } from '../../bench/lib/wide-market.js';
import { buildPrograms, PATIENCE_MS } from '../multi-process/program.js';
import { DESKTOP, describeWithBrowser, WatchedPage } from './browser.js';
import { attribute, chart } from './token-view.js';

/**
 * A page that is left open holds no more after an hour than after a quarter of it: the chain's own coin, in more pools than an answer
 * lists, with 40 trades in each of an hour's blocks, which come as fast as the page shows them.
 */
const LIMIT_MS = 3 * PATIENCE_MS;
const chain = chainSpec('eth')!;
const coin = chain.wrappedNative.token;
const [WARM, HOUR] = [75, 300];
/** Published at once, so that the page is not waited for block by block. */
const STEP = 15;
const POOLS = 230;
/** Of a block: those of the pools, and those that the coin's candles are made of. */
const [POOL_TRADES, COIN_TRADES] = [35, 5];

const id = (bytes: number): Hex => randomBytes(bytes).toString('hex');
const [usd, deepPool] = [id(20), id(20)];

/** Sold and bought for dollars: what the coin's candles are made of. */
function coinTrade(ordinal: number): TradeFact {
  const priceUsd = (3_000n + BigInt(ordinal % 7)) * pow10(36);
  return {
    ...{
      ordinal,
      txOrdinal: 0,
      tx: id(32),
      wallet: id(20),
      sender: id(20),
      pool: deepPool,
      venue: 'uniswap-v3',
      base: coin,
      quote: usd,
    },
    ...{ baseDecimals: 18, quoteDecimals: 18, side: ordinal % 2 === 0 ? 'buy' : 'sell' },
    ...{ baseAmount: pow10(18), quoteAmount: 3_000n * pow10(18), uncounted: null, priceUsd, coinUsd: priceUsd },
    ...{ volumeUsd: priceUsd, volumeCoin: pow10(36) },
  };
}

function coinMarket(): { chain: typeof chain; facts: [ReturnType<WideMarket['opening']>, ...FactsBlock[]] } {
  const wide = new WideMarket({
    ...{ coin, rules: chain.priceRules, tokens: POOLS, tradesPerBlock: POOL_TRADES, blockMs: 12_000, wallets: 2_000 },
  });
  const opening = wide.opening();
  const first = wide.first();
  first.tokens.push({ token: usd, decimals: 18, symbol: 'USD', name: 'Dollar', totalSupply: pow10(27) });
  const sides = { token0: coin, token1: usd, feePpm: 3000, tickSpacing: 0, created: true };
  first.pools.push({ pool: deepPool, venue: 'uniswap-v2', kind: 'constant-product', ...sides });
  const [reserve0, reserve1] = [pow10(22), 3_000n * pow10(22)];
  first.poolStates.push({ pool: deepPool, reserve0, reserve1, concentrated: null, anchored: true, setApart: null });
  const blocks = Array.from({ length: WARM + HOUR }, () => {
    const block = wide.next();
    for (let n = 0; n < COIN_TRADES; n++) block.trades.push(coinTrade(block.trades.length));
    return block;
  });
  return { chain, facts: [opening, first, ...blocks] };
}

describeWithBrowser('console: a page that is left open (long)', () => {
  let api: ApiHarness;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let watched: WatchedPage;

  beforeAll(async () => {
    buildPrograms();
    api = await ApiHarness.start(coinMarket());
    await api.advance(1, 1);
    browser = await openBrowser();
    watched = await WatchedPage.open(browser, api.api.url, DESKTOP);
  }, LIMIT_MS);

  afterAll(async () => {
    await watched?.close();
    await browser?.close();
    await api?.close();
  }, LIMIT_MS);

  const nodes = (page: Page): Promise<number> =>
    page.evaluate(`(() => {
      const count = (of) => 1 + [...of.childNodes].reduce((sum, child) => sum + count(child), 0);
      return count(document);
    })()`);

  /** Objects of the page's script that something still holds. */
  const objects = async (page: Page): Promise<number> => {
    const session = await page.context().newCDPSession(page);
    const { result } = await session.send('Runtime.evaluate', { expression: 'Object.prototype' });
    const held = await session.send('Runtime.queryObjects', { prototypeObjectId: result.objectId! });
    const counted = await session.send('Runtime.callFunctionOn', {
      ...{ objectId: held.objects.objectId!, functionDeclaration: 'function () { return this.length; }' },
      returnByValue: true,
    });
    await session.detach();
    return counted.result.value as number;
  };

  /** Publishes blocks up to a seq and waits until the page shows each step. */
  const live = async (page: Page, toSeq: number): Promise<void> => {
    for (let seq = api.live.lastSeq; seq < toSeq; ) {
      seq = Math.min(toSeq, seq + STEP);
      await api.advance(seq, seq);
      const height = String(api.live.facts[seq]!.height);
      await until(
        `block ${height} on the page`,
        async () => (await attribute(page.locator('.tape [data-block]'), 'data-block')) === height,
      );
    }
  };

  test(
    'has as many nodes and objects after an hour of blocks as before it',
    async () => {
      const { page } = watched;
      await page.goto(`${api.api.url}/#key=${api.key}&go=/token/eth/0x${coin}`);
      await page.locator('.token-page').waitFor();
      await live(page, 1 + WARM);
      await until('candles are drawn', async () => Number(await attribute(chart(page), 'data-candles')) > 10);
      await until('everything is loaded', async () => (await page.locator('.loading').count()) === 0);
      const before = { nodes: await nodes(page), objects: await objects(page) };
      await live(page, 1 + WARM + HOUR);
      const after = { nodes: await nodes(page), objects: await objects(page) };
      const { data } = (await api.get(`/tokens/eth/0x${coin}`)).body as { data: { pools: unknown[] } };
      expect(data.pools).toHaveLength(200);
      expect(await page.locator('tr[data-pool]').count()).toBe(10);
      expect(await page.locator('tr[data-trade]').count()).toBeLessThanOrEqual(60);
      expect(after.nodes).toBeLessThan(before.nodes * 1.02);
      // Whatever else a page keeps, it keeps nothing of each trade.
      expect(after.objects - before.objects).toBeLessThan(HOUR * (POOL_TRADES + COIN_TRADES));
      await page.getByRole('button', { name: 'Show all 200' }).click();
      expect(await page.locator('tr[data-pool]').count()).toBe(200);
    },
    LIMIT_MS,
  );
});
