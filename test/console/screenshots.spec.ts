import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { until } from '#libs/devkit/testing/until.js';
import type { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { SearchAnswer } from '#libs/serve/contract/rest/search-body.js';
import type { StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import { PATIENCE_MS, PROJECT } from '../multi-process/program.js';
import { DESKTOP, describeWithBrowser, PHONE, type Viewer, type WatchedPage } from './browser.js';
import { ConsoleWorld, WETH, WSOL } from './console-world.js';
import { build, land, useDemoWallet } from './swap-steps.js';

/**
 * A picture of every page, wide and dark, narrow and light, with a block being replaced on the first page and on the token's. They go to
 * `.cache/screenshots`; to the folder that `TIDEPOOL_SCREENSHOTS` names go those wide and light, narrow and dark too. docs/screenshots holds
 * the committed ones.
 */
const LIMIT_MS = 3 * PATIENCE_MS;
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v';
const folder = resolve(PROJECT, process.env.TIDEPOOL_SCREENSHOTS ?? '.cache/screenshots');

const everyScreen: readonly (readonly [string, Viewer])[] = (['dark', 'light'] as const).flatMap((scheme) => [
  [`desktop-${scheme}`, { ...DESKTOP, scheme }] as const,
  [`phone-${scheme}`, { ...PHONE, scheme, scale: 2 }] as const,
]);
const screens = process.env.TIDEPOOL_SCREENSHOTS === undefined ? [everyScreen[0]!, everyScreen[3]!] : everyScreen;

const isWide = (index: number): boolean => screens[index]![1].width > 1_200;

/** `whole`: of a wide page all of it, however long it is. */
const keep = async (views: readonly WatchedPage[], name: string, whole = false): Promise<void> => {
  await Promise.all(
    views.map(async ({ page }, index) => {
      const path = join(folder, `${name}-${screens[index]![0]}.png`);
      await page.screenshot({ path, fullPage: whole && isWide(index) });
      expect(statSync(path).size).toBeGreaterThan(5_000);
    }),
  );
  for (const watched of views) {
    const { page, errors, strays } = watched;
    expect({ errors, strays }).toEqual({ errors: [], strays: [] });
    const { content, window } = await watched.widths();
    expect(content).toBeLessThanOrEqual(window);
    await page.context().close();
  }
};

const visitAll = async (world: ConsoleWorld, place: string): Promise<WatchedPage[]> => {
  const views: WatchedPage[] = [];
  for (const [, viewer] of screens) views.push(await world.visit(place, viewer));
  return views;
};

describeWithBrowser('screenshots of the console (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    world = await ConsoleWorld.open({ historyBlocks: 600 });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const visit = (place: string): Promise<WatchedPage[]> => visitAll(world, place);

  /** Trades that were taken back leave a page after some seconds: each is looked at for itself. `state`: how they are there. */
  const replaceBlocks = async (views: readonly WatchedPage[], state: 'attached' | 'visible'): Promise<void> => {
    const pages = views.map(({ page }) => page);
    await world.newestOnTape(...pages);
    const struck = pages.map((page) => page.locator('tr.taken-back').first().waitFor({ state, timeout: PATIENCE_MS }));
    await Promise.all([world.chain.reorg(3), ...struck]);
  };

  test(
    'the key',
    async () => {
      const views: WatchedPage[] = [];
      for (const [, viewer] of screens) views.push(await world.blank(viewer));
      for (const { page } of views) {
        await page.goto(`${world.line.url}/`);
        await page.getByLabel('API key').waitFor();
      }
      await keep(views, 'key');
    },
    LIMIT_MS,
  );

  test(
    'the tokens',
    async () => {
      for (let block = 0; block < 30; block++) await world.chain.mine();
      const views = await visit('/');
      for (const [index, { page }] of views.entries()) {
        await page.locator('tr[data-token]').first().waitFor();
        await page.locator('.hero .chart[data-candles]:not([data-candles="0"])').waitFor();
        await page.locator('tr[data-trade]').first().waitFor({ state: 'attached' });
        // A narrow screen has no room for the small lines.
        if (isWide(index)) await until('the small lines', async () => (await page.locator('.spark path').count()) >= 5);
      }
      // A narrow screen has the chart alone.
      await replaceBlocks(views, 'attached');
      for (const { page } of views) await page.locator('.reorg-line').waitFor({ timeout: PATIENCE_MS });
      await keep(views, 'tokens');
    },
    LIMIT_MS,
  );

  test(
    'a token, while a block is replaced',
    async () => {
      for (let block = 0; block < 30; block++) await world.chain.mine();
      const views = await visit(`/token/eth/${WETH}`);
      for (const { page } of views) {
        await until('candles', async () => Number(await page.locator('.chart').getAttribute('data-candles')) > 100);
        await page.locator('tr[data-trade]').first().waitFor();
        // On a phone the tape is below the chart.
        await page.locator('.chart').scrollIntoViewIfNeeded();
      }
      await replaceBlocks(views, 'visible');
      await keep(views, 'token');
    },
    LIMIT_MS,
  );

  test(
    'two tokens in one chart',
    async () => {
      const { data } = await world.market.get<ScreenerAnswer>('/screener?sort=volume');
      const moving = data.filter(({ address, symbol }) => address !== WETH && !symbol!.startsWith('USD'));
      const [first, second] = moving.map(({ address }) => address);
      const views = await visit(`/token/eth/${first}`);
      for (const { page } of views) {
        await page.locator('.chart[data-candles]:not([data-candles="0"])').waitFor();
        await page.evaluate(`location.hash = '#/token/eth/${first}?with=eth:${second}'`);
        await page.locator('.chart[data-compared]:not([data-compared=""], [data-compared="0"])').waitFor();
        await page.getByRole('link', { name: /^with / }).waitFor();
      }
      await keep(views, 'compare');
    },
    LIMIT_MS,
  );

  test(
    'the status',
    async () => {
      const views = await visit('/status');
      for (const { page } of views) {
        await page.locator('[data-chain=eth][data-state=live]').waitFor({ timeout: PATIENCE_MS });
        await page.locator('.topics').waitFor();
      }
      await keep(views, 'status');
    },
    LIMIT_MS,
  );
});

describeWithBrowser('screenshots of swaps (nightly)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    world = await ConsoleWorld.open({ historyBlocks: 600, demo: true });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const visit = (place: string): Promise<WatchedPage[]> => visitAll(world, place);

  test(
    'a swap that is built',
    async () => {
      // It is traded for dollars only: two pools are between it and the coin.
      const { data } = await world.market.get<SearchAnswer>('/search?q=PERL');
      const views = await visit(`/swap/eth/native/${data[0]!.address}`);
      for (const { page } of views) {
        await page.getByLabel('You pay').fill('2.5');
        await useDemoWallet(page);
        await build(page);
      }
      await keep(views, 'swap');
    },
    LIMIT_MS,
  );

  test(
    'the receipts',
    async () => {
      const { data } = await world.market.get<SearchAnswer>('/search?q=OTTR');
      const { page } = await world.visit(`/swap/eth/native/${data[0]!.address}`, DESKTOP);
      await page.getByRole('button', { name: /choose another token to receive/ }).waitFor();
      await page.getByLabel('You pay').fill('3');
      await useDemoWallet(page);
      const swap = async (): Promise<void> => {
        await land(page);
        await page.getByRole('button', { name: 'Swap again' }).click();
      };
      for (let count = 0; count < 4; count++) await swap();
      const views = await visit('/receipts');
      for (const { page: shown } of views) {
        const seen = async () => (await shown.locator('main').textContent()) ?? '';
        // A swap that landed is gone for good where a reorg took the wallet's coins or moved the price below its floor.
        const dots = async () => (await shown.locator('.receipt-dot').count()) >= 4 || (await swap().then(() => false));
        await shown.locator('.receipt-dot').first().waitFor({ timeout: PATIENCE_MS });
        await until('the dots', dots, { howFar: seen });
        await shown.getByText('ETH → OTTR').first().waitFor();
        await shown.getByText('ETH → PERL').first().waitFor();
      }
      await page.context().close();
      await keep(views, 'receipts');
    },
    LIMIT_MS,
  );
});

describeWithBrowser('screenshots of five chains (nightly)', () => {
  const chains = ['sol', 'eth', 'bsc', 'base', 'chaind'];
  let world: ConsoleWorld;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    world = await ConsoleWorld.open({ historyBlocks: 600, demo: true, chains });
    await world.program.until('every chain at its head', async () => {
      const { data } = await world.market.get<StatusAnswer>('/status');
      return data.chains.every(({ state, indexed }) => state === 'live' && indexed !== null);
    });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const visit = (place: string): Promise<WatchedPage[]> => visitAll(world, place);

  test(
    'the tokens of all, and those of Solana',
    async () => {
      for (const [place, name] of [
        ['/', 'chains'],
        ['/tokens/sol', 'sol-tokens'],
      ] as const) {
        const views = await visit(place);
        for (const [index, { page }] of views.entries()) {
          await page.locator('.chain-choice a[aria-current]').waitFor();
          await page.locator('tr[data-token]').first().waitFor();
          if (place === '/') await page.locator('.hero .chart[data-candles]:not([data-candles="0"])').waitFor();
          if (isWide(index)) await until('small lines', async () => (await page.locator('.spark path').count()) >= 5);
        }
        await keep(views, name);
      }
    },
    LIMIT_MS,
  );

  test(
    'a token of Solana',
    async () => {
      const views = await visit(`/token/sol/${WSOL}`);
      for (const { page } of views) {
        await until('candles', async () => Number(await page.locator('.chart').getAttribute('data-candles')) > 60);
        await page.locator('tr[data-trade]').first().waitFor();
      }
      await keep(views, 'sol-token', true);
    },
    LIMIT_MS,
  );

  test(
    'the status of all',
    async () => {
      const views = await visit('/status');
      for (const { page } of views) {
        await page.locator('.topics').waitFor();
        await page.locator('[data-chain=sol][data-state=live]').scrollIntoViewIfNeeded();
      }
      await keep(views, 'status-chains', true);
    },
    LIMIT_MS,
  );

  test(
    'a swap of Solana',
    async () => {
      const views = await visit(`/swap/sol/native/${SOLANA_USDC}`);
      for (const { page } of views) {
        await page.getByLabel('You pay').fill('12.5');
        await page.locator('#receive[data-out]').waitFor();
      }
      await keep(views, 'sol-swap');
    },
    LIMIT_MS,
  );
});
