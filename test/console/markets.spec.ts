import type { Page } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { HoldersAnswer, HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { TradersAnswer, WalletProfitAnswer } from '#libs/serve/contract/rest/profit-body.js';
import type { ScreenerAnswer, TrendingAnswer } from '#libs/serve/contract/rest/screener-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { accessibilityProblems } from './axe.js';
import { DESKTOP, describeWithBrowser, PHONE, type WatchedPage } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { rows } from './token-view.js';

/** Holders, traders, wallets, trending tokens, boards and list filters in a real browser: each shows what REST answers. */
const LIMIT_MS = 3 * PATIENCE_MS;

describeWithBrowser('markets and wallets on the console (long)', () => {
  let world: ConsoleWorld;
  /** A token of which all transfers are in view. */
  let token: string;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 420, historySeconds: 4 * 3_600 });
    const { data } = await world.market.get<ScreenerAnswer>('/screener?minHolders=2');
    token = data.find(({ stats }) => stats['24h'].trades > 5)!.address;
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const marked = (page: Page, attribute: string): Promise<(string | null)[]> =>
    page.locator(`[${attribute}]`).evaluateAll((all, name) => all.map((of) => of.getAttribute(name)), attribute);

  const clean = async (watched: WatchedPage): Promise<void> => {
    expect(watched.errors).toEqual([]);
    expect(watched.strays).toEqual([]);
    expect(await accessibilityProblems(watched.page)).toEqual([]);
  };

  test(
    'a token shows its holders and traders, and each leads to a wallet with its profit and holdings',
    async () => {
      const watched = await world.visit(`/token/eth/${token}`, DESKTOP);
      const { page } = watched;
      const holders = await world.market.get<HoldersAnswer>(`/tokens/eth/${token}/holders?limit=10`);
      const traders = await world.market.get<TradersAnswer>(`/tokens/eth/${token}/traders?limit=10`);
      expect([holders.complete, holders.data.length > 1, traders.data.length > 1]).toEqual([true, true, true]);
      await page.locator('[data-holder]').first().waitFor();
      await page.locator('[data-trader]').first().waitFor();
      expect(await marked(page, 'data-holder')).toEqual(holders.data.map(({ address }) => address));
      expect(await marked(page, 'data-trader')).toEqual(traders.data.map(({ wallet }) => wallet));
      await clean(watched);

      const { wallet } = traders.data[0]!;
      await page.locator(`[data-trader="${wallet}"] a`).click();
      await page.getByRole('heading', { name: 'Wallet' }).waitFor();
      const holdings = await world.market.get<HoldingsAnswer>(`/wallets/eth/${wallet}/holdings`);
      expect(holdings.data.length).toBeGreaterThan(0);
      await page.locator('[data-holding]').first().waitFor();
      expect(await marked(page, 'data-holding')).toEqual(holdings.data.map((row) => row.token));
      const { data: profit } = await world.market.get<WalletProfitAnswer>(`/wallets/eth/${wallet}/pnl`);
      expect(profit.summary.buys + profit.summary.sells).toBeGreaterThan(0);
      await page.locator('.profit-chart').waitFor();
      expect(await page.locator('.profit-hit').count()).toBe(profit.series.length);
      await page.getByRole('button', { name: '24 hours' }).click();
      const hours = await world.market.get<WalletProfitAnswer>(`/wallets/eth/${wallet}/pnl?interval=1h`);
      await until(
        'the hours are drawn',
        async () => (await page.locator('.profit-hit').count()) === hours.data.series.length,
      );
      await clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'two tokens are compared in one chart, which the address names',
    async () => {
      for (const viewer of [DESKTOP, PHONE]) {
        const watched = await world.visit(`/token/eth/${token}`, viewer);
        const { page } = watched;
        const { data } = await world.market.get<ScreenerAnswer>('/screener?sort=volume');
        const other = data.find(({ address }) => address !== token)!;
        await page.locator('.chart[data-candles]:not([data-candles="0"])').waitFor();
        await page.getByRole('button', { name: 'Compare', exact: true }).click();
        await page.getByRole('dialog').getByRole('combobox').fill(other.symbol!);
        await page.getByRole('option').getByText(other.symbol!, { exact: true }).first().waitFor();
        await page.keyboard.press('Enter');
        await page.locator('.chart[data-compared]:not([data-compared=""], [data-compared="0"])').waitFor();
        expect(decodeURIComponent(page.url())).toContain(`with=eth:${other.address}`);
        await page.getByRole('link', { name: `with ${other.symbol}` }).waitFor();
        const { content, window } = await watched.widths();
        expect(content).toBe(window);
        await clean(watched);
        await page.reload();
        await page.locator('.chart[data-compared]:not([data-compared=""], [data-compared="0"])').waitFor();
        await page.getByRole('link', { name: 'Stop comparing' }).click();
        await page.locator('.chart[data-compared=""]').waitFor();
        expect(page.url()).not.toContain('with=');
        await clean(watched);
      }
    },
    LIMIT_MS,
  );

  test(
    'filters stand in the address, an amount that cannot be read says so, and Back finds the list again',
    async () => {
      const watched = await world.visit('/', DESKTOP);
      const { page } = watched;
      await rows(page).first().waitFor();
      const all = await rows(page).count();
      await page.getByText('Filters').click();
      await page.getByLabel('Liquidity from').fill('much');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('A number such as').waitFor();
      const deep = await world.market.get<ScreenerAnswer>('/screener?minLiquidity=2000000');
      expect([deep.data.length > 0, deep.data.length < all]).toEqual([true, true]);
      await page.getByLabel('Liquidity from').fill('2m');
      await page.keyboard.press('Enter');
      await until('the deep ones are left', async () => (await rows(page).count()) === deep.data.length);
      expect(page.url()).toContain('minLiquidity=2000000');
      await clean(watched);
      await rows(page).first().getByRole('link').click();
      await page.getByRole('link', { name: 'Back to the list' }).click();
      await rows(page).first().waitFor();
      expect(page.url()).toContain('minLiquidity=2000000');
      await until('the same list', async () => (await rows(page).count()) === deep.data.length);
    },
    LIMIT_MS,
  );

  test(
    'trending tokens and boards are those of REST, on a phone too',
    async () => {
      for (const viewer of [DESKTOP, PHONE]) {
        const watched = await world.visit('/trending/24h', viewer);
        const { page } = watched;
        const { data } = await world.market.get<TrendingAnswer>('/trending?window=24h');
        expect(data.length).toBeGreaterThan(1);
        await page.locator('.launch').first().waitFor();
        expect(await marked(page, 'data-token')).toEqual(data.map(({ address }) => address));
        const { content, window } = await watched.widths();
        expect(content).toBe(window);
        await clean(watched);
        for (const board of ['graduating', 'graduated', 'new']) {
          await page.evaluate(`location.hash = '#/launches/${board}'`);
          await page.getByRole('heading', { name: 'Launches' }).waitFor();
          const { data: launched } = await world.market.get<ScreenerAnswer>(`/launchpad/${board}`);
          await until(`the board ${board}`, async () => (await page.locator('.launch').count()) === launched.length);
          await clean(watched);
        }
      }
    },
    LIMIT_MS,
  );
});
