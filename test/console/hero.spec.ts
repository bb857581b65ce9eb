import type { Page } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { accessibilityProblems } from './axe.js';
import { DESKTOP, describeWithBrowser, PHONE, type WatchedPage } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { attribute, chart, rows } from './token-view.js';

/** The first page opens with a live token: its chart, its trades, and what a reorg takes back, which every page tells. */
const LIMIT_MS = 3 * PATIENCE_MS;

describeWithBrowser('console: the first page (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 120, historySeconds: 3_600 });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const clean = async (watched: WatchedPage): Promise<void> => {
    const { content, window } = await watched.widths();
    expect({ url: watched.page.url(), content }).toEqual({ url: watched.page.url(), content: window });
    expect(await accessibilityProblems(watched.page)).toEqual([]);
    expect({ errors: watched.errors, strays: watched.strays }).toEqual({ errors: [], strays: [] });
  };

  const drawn = async (page: Page): Promise<void> =>
    until('candles are drawn', async () => Number(await attribute(chart(page), 'data-candles')) > 0);

  /** Replaces blocks that trade the token until a chart outlines what they took back. */
  const replace = async (page: Page): Promise<void> => {
    await until('a reorg is outlined', async () => {
      await world.newestOnTape(page);
      await world.chain.reorg(2);
      await page.locator('tr.taken-back').first().waitFor({ state: 'attached', timeout: PATIENCE_MS });
      // Blocks that say the same again change no candle.
      for (let look = 0; look < 30; look++) {
        if (Number(await attribute(chart(page), 'data-replaced')) > 0) return true;
        await page.waitForTimeout(100);
      }
      return false;
    });
    await page.locator('.chart-fork').waitFor({ timeout: PATIENCE_MS });
  };

  /** The note of a reorg ends before the labels of the price axis begin; it is there only for a while. */
  const noteLeavesPrices = async (page: Page): Promise<void> => {
    const axis = page.locator('.chart-canvas tr:first-of-type > td:nth-of-type(3)');
    await until('a note beside the prices', async () => {
      const [note, prices] = [page.locator('.chart-fork'), await axis.boundingBox()];
      const box = (await note.count()) === 0 ? null : await note.boundingBox().catch(() => null);
      if (box === null) await replace(page);
      else expect(box.x + box.width).toBeLessThanOrEqual(prices!.x);
      return box !== null;
    });
  };

  test.each([
    ['wide', DESKTOP],
    ['narrow', PHONE],
  ])(
    'draws the busiest token that moves, with the blocks that a reorg replaced, on a %s screen',
    async (_name, viewer) => {
      const watched = await world.visit('/', viewer);
      const { page } = watched;
      await rows(page).first().waitFor();
      await drawn(page);
      const { data } = await world.market.get<ScreenerAnswer>('/screener?sort=trades&window=1h');
      const moving = data.filter(({ stats }) => Object.values(stats).some((of) => of.priceChangePercent));
      const shown = await attribute(page.locator('[data-hero]'), 'data-hero');
      // Two of them may have changed places meanwhile.
      expect(moving.map(({ address }) => address)).toContain(shown);
      await clean(watched);
      const last = async (): Promise<string> =>
        `${await attribute(chart(page), 'data-last-time')} ${await attribute(chart(page), 'data-last-trades')}`;
      const before = await last();
      await world.mineUntil('the newest candle changes', async () => (await last()) !== before);
      await replace(page);
      await clean(watched);
      await noteLeavesPrices(page);
      await page.locator('[data-hero] h2 a').click();
      await page.locator('.token-page').waitFor();
      await drawn(page);
      await noteLeavesPrices(page);
      expect(page.url()).toContain(`#/token/eth/${shown}`);
    },
    LIMIT_MS,
  );

  test.each([
    ['wide', DESKTOP],
    ['narrow', PHONE],
  ])(
    'tells of the newest reorg on every page, on a %s screen',
    async (_name, viewer) => {
      await world.mineUntil('a block', async () => true);
      await world.chain.reorg(2);
      const newest = async (): Promise<string> => {
        const { data } = await world.market.get<StatusAnswer>('/status');
        const { chain, reorgs } = data.chains[0]!;
        return `${chain} ${reorgs.last?.fromBlock ?? ''}`;
      };
      await until('it was noticed', async () => /\d/.test(await newest()));
      const watched = await world.visit('/status', viewer);
      const { page } = watched;
      const line = page.locator('.reorg-line');
      const { data } = await world.market.get<ScreenerAnswer>('/screener?limit=1');
      const places = ['/status', '/', '/trending', '/launches', '/swap', '/receipts', '/usage', '/tokens/eth'];
      for (const place of [...places, `/token/eth/${data[0]!.address}`, `/wallet/eth/0x${'12'.repeat(20)}`]) {
        await page.evaluate(`location.hash = '#${place}'`);
        await until(`it is told on ${place}`, async () => (await attribute(line, 'data-reorg')) === (await newest()));
        expect(await line.isVisible()).toBe(true);
        const { content, window } = await watched.widths();
        expect({ place, content }).toEqual({ place, content: window });
      }
      expect(await line.textContent()).toMatch(/Reorg on eth: .* replaced, /);
      expect(watched.strays).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'leaves the wheel to the page',
    async () => {
      const watched = await world.visit('/', { ...DESKTOP, height: 600 });
      const { page } = watched;
      await rows(page).first().waitFor();
      await drawn(page);
      const box = (await page.locator('.chart-canvas').boundingBox())!;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.wheel(0, 200);
      await until('the page is scrolled', async () => (await page.evaluate('scrollY')) === 200);
    },
    LIMIT_MS,
  );
});
