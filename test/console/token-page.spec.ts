import type { Locator, Page } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { accessibilityProblems } from './axe.js';
import { DESKTOP, describeWithBrowser, type WatchedPage } from './browser.js';
import { ConsoleWorld, WETH } from './console-world.js';
import { attribute, chart, shownTogether, tape, watchTogether } from './token-view.js';

/** A token's page in a real browser, on a real program, over a chain that moves when the test says so. */
const LIMIT_MS = 3 * PATIENCE_MS;
const TOKEN = `/token/eth/${WETH}`;

describeWithBrowser('console: a token (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 420, historySeconds: 4 * 3_600 });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const line = (page: Page): Locator => page.locator('.connection');

  const restTape = async (count: number, filter = ''): Promise<string[]> => {
    const { data } = await world.market.get<TradesAnswer>(`/tokens/eth/${WETH}/trades?limit=${count}${filter}`);
    return data.map(({ id }) => id);
  };

  /** The page has caught up: the newest rows of its tape are those that REST gives. */
  const tapeIsTrue = (page: Page): Promise<void> =>
    until('the tape shows what REST answers', async () => {
      const shown = await tape(page);
      const answered = await restTape(Math.min(50, Math.max(1, shown.length)));
      return shown.length > 0 && JSON.stringify(shown.slice(0, answered.length)) === JSON.stringify(answered);
    });

  const passingIsTrue = (page: Page, filter: string): Promise<void> =>
    until('the tape shows what REST answers', async () => {
      const answered = await restTape(40, filter);
      return JSON.stringify((await tape(page)).slice(0, answered.length)) === JSON.stringify(answered);
    });

  const clean = (watched: WatchedPage): void => {
    expect(watched.errors).toEqual([]);
    expect(watched.strays).toEqual([]);
  };

  test(
    'has a chart that moves with a trade and equals what REST answers',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      const canvas = page.locator('.chart-canvas');
      await until('candles are drawn', async () => Number(await attribute(chart(page), 'data-candles')) > 100);
      const state = async (): Promise<string> =>
        `${await attribute(chart(page), 'data-last-time')} ${await attribute(chart(page), 'data-last-trades')}`;
      const [before, pictureBefore] = [await state(), await canvas.screenshot()];
      await world.mineUntil('the last candle changes', async () => (await state()) !== before);
      expect(Buffer.compare(await canvas.screenshot(), pictureBefore)).not.toBe(0);

      await tapeIsTrue(page);
      const { data } = await world.market.get<CandlesAnswer>(`/tokens/eth/${WETH}/candles?limit=1&pool=primary`);
      const last = data[0]!;
      await until(
        'the last candle is the one REST gives',
        async () => (await state()) === `${last.time} ${last.trades}`,
      );
      // A candle whose trades count for no price has none.
      expect(await attribute(chart(page), 'data-last-close')).toBe(String(last.close ?? ''));
      expect(await page.locator('.legend').textContent()).toContain('Vol');
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'changes interval and currency by keyboard and reads older pages when scrolled back',
    async () => {
      const watched = await world.visit(`${TOKEN}?pool=all`, DESKTOP);
      const { page } = watched;
      const candles = async (): Promise<number> => Number(await attribute(chart(page), 'data-candles'));
      await until('candles are drawn', async () => (await candles()) > 100);
      for (let i = 0; i < 4; i++) await page.keyboard.press('[');
      const pressed = page.locator('.intervals [aria-pressed=true]');
      expect(await pressed.textContent()).toBe('1s');
      await until('the newest page of seconds', async () => (await candles()) >= 300);
      const newest = await candles();
      const box = (await page.locator('.chart-canvas').boundingBox())!;
      const [left, right, y] = [box.x + 60, box.x + box.width - 160, box.y + box.height / 2];
      await until('older candles came', async () => {
        await page.mouse.move(left, y);
        await page.mouse.down();
        await page.mouse.move(right, y, { steps: 4 });
        await page.mouse.up();
        return (await candles()) > newest + 50;
      });
      await page.keyboard.press('c');
      await until('prices in the coin', async () => (await page.locator('.legend').textContent())!.includes('ETH'));
      await page.keyboard.press('c');
      await page.keyboard.press(']');
      expect(await pressed.textContent()).toBe('5s');
      for (let i = 0; i < 3; i++) await page.keyboard.press(']');
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'keeps interval, currency and scale in the address, where Back and Forward find them',
    async () => {
      const watched = await world.visit(`${TOKEN}?interval=5m`, DESKTOP);
      const { page } = watched;
      const pressed = (group: string): Promise<string[]> =>
        page.locator(`.chart-tools ${group} [aria-pressed=true]`).allTextContents();
      const query = (): string => page.url().split('?')[1] ?? '';
      const state = async (): Promise<string> => (await pressed('')).join(' ');
      const becomes = (words: string): Promise<void> => until(words, async () => (await state()) === words);
      const picture = (): Promise<Buffer> => page.locator('.chart-canvas').screenshot();
      const drawn = (): Promise<void> =>
        until('candles are drawn', async () => Number(await attribute(chart(page), 'data-candles')) > 0);
      await drawn();
      expect(await state()).toBe('5m USD');
      await page.evaluate(`document.querySelector('.token-page').dataset.kept = 'yes'`);
      await page.keyboard.press('c');
      await becomes('5m ETH');
      expect(query()).toBe('interval=5m&currency=native');
      await drawn();
      await page.keyboard.press('c');
      await becomes('5m USD');
      await drawn();
      const linear = await picture();
      await page.keyboard.press('g');
      await becomes('5m USD Log');
      expect(query()).toBe('interval=5m&scale=log');
      await until('the prices are drawn otherwise', async () => Buffer.compare(await picture(), linear) !== 0);
      await page.getByRole('button', { name: '15m' }).click();
      await becomes('15m USD Log');
      for (const [step, words, asked] of [
        ['back', '5m USD Log', 'interval=5m&scale=log'],
        ['back', '5m USD', 'interval=5m'],
        ['back', '5m ETH', 'interval=5m&currency=native'],
        ['forward', '5m USD', 'interval=5m'],
      ] as const) {
        await (step === 'back' ? page.goBack() : page.goForward());
        await becomes(words);
        expect(query()).toBe(asked);
      }
      // It was the same page throughout.
      expect(await attribute(page.locator('.token-page'), 'data-kept')).toBe('yes');
      // The choice goes along to another token, and stays over a reload.
      const other = page.locator('.pools tbody a').first();
      await other.click();
      await until('another token', async () => !page.url().includes(WETH));
      await becomes('5m USD');
      await page.reload();
      await drawn();
      expect(await state()).toBe('5m USD');
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'shows pair and venue of each trade, and only those that pass the filter that stands in the address',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      await tapeIsTrue(page);
      const { data } = await world.market.get<TradesAnswer>(`/tokens/eth/${WETH}/trades?limit=20`);
      const pairs = page.locator('tr[data-trade]:not(.taken-back) td.tape-pair');
      expect((await pairs.allTextContents()).slice(0, 20)).toEqual(
        data.slice(0, 20).map(({ quoteSymbol, dex }) => `${quoteSymbol} ${dex}`),
      );
      await page.getByRole('button', { name: 'Sells' }).click();
      expect(page.url()).toContain('?side=sell');
      await passingIsTrue(page, '&side=sell');
      await page.locator('.tape-filters select').selectOption('1000');
      expect(page.url()).toContain('?side=sell&minUsd=1000');
      const filter = '&side=sell&minUsd=1000';
      await passingIsTrue(page, filter);
      const [newest] = await restTape(1, filter);
      await world.mineUntil('another one passes', async () => (await restTape(1, filter))[0] !== newest);
      await passingIsTrue(page, filter);
      expect(await page.locator('tr.trade.buy').count()).toBe(0);
      await world.chain.reorg(2);
      await world.servedHeight();
      await passingIsTrue(page, filter);
      await page.reload();
      await passingIsTrue(page, filter);
      await page.locator('.tape-filters select').selectOption('');
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await tapeIsTrue(page);
      expect(page.url()).not.toContain('?');
      expect(await accessibilityProblems(page)).toEqual([]);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'draws the candles of one pool alone, live and through a reorg',
    async () => {
      const watched = await world.visit(`${TOKEN}?interval=15s`, DESKTOP);
      const { page } = watched;
      const choice = page.getByLabel('Pool of the candles');
      const last = async (): Promise<string> =>
        `${await attribute(chart(page), 'data-last-time')} ${await attribute(chart(page), 'data-last-trades')} ${await attribute(chart(page), 'data-last-close')}`;
      const isTrue = (pool: string): Promise<void> =>
        until(`the newest candle of ${pool}`, async () => {
          const path = `/tokens/eth/${WETH}/candles?limit=1&interval=15s${pool === '' ? '' : `&pool=${pool}`}`;
          const { data } = await world.market.get<CandlesAnswer>(path);
          const { time, trades, close } = data[0]!;
          return (await last()) === `${time} ${trades} ${close ?? ''}`;
        });
      expect(await choice.inputValue()).toBe('primary');
      await isTrue('primary');
      const before = await last();
      await world.mineUntil('the pool trades', async () => (await last()) !== before);
      await isTrue('primary');
      await world.chain.reorg(3);
      await world.servedHeight();
      await isTrue('primary');
      const { data } = await world.market.get<TokenAnswer>(`/tokens/eth/${WETH}`);
      const { address } = data.pools[1]!;
      await choice.selectOption(address);
      await isTrue(address);
      await tapeIsTrue(page);
      await choice.selectOption('');
      expect(page.url()).toContain('?interval=15s&pool=all');
      await isTrue('');
      await page.goBack();
      await page.goBack();
      await isTrue('primary');
      expect(await accessibilityProblems(page)).toEqual([]);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'strikes out the trades of a replaced block, says which it was, and lets them go',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      await tapeIsTrue(page);
      const lost = await world.newestOnTape(page);
      await world.chain.reorg(2);
      const struck = page.locator('tr.taken-back');
      await struck.first().waitFor({ timeout: PATIENCE_MS });
      expect(await attribute(struck.first(), 'data-trade-block')).toBe(String(lost));
      const cell = `document.querySelector('tr.taken-back td:nth-child(2)')`;
      const style = await page.evaluate(`getComputedStyle(${cell}).textDecorationLine`);
      expect(style).toBe('line-through');
      const note = await page.locator('.tape-note').textContent();
      expect(note).toMatch(/replaced: \d+ trades? (was|were) reversed/);
      expect(note).toContain(lost.toLocaleString('en-US'));
      await struck.first().waitFor({ state: 'detached', timeout: PATIENCE_MS });
      await tapeIsTrue(page);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'changes trades, candles and figures of a block in one step, also when it replaces another',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      await tapeIsTrue(page);
      await until('candles are drawn', async () => Number(await attribute(chart(page), 'data-candles')) > 0);
      await watchTogether(page);
      // A slow moment may part them: it continues until one came whole.
      const whole = async (reorg: boolean): Promise<boolean> => {
        const shown = await shownTogether(page);
        return shown.some((now, n) => {
          const before = shown[n - 1];
          if (before === undefined || now.candle === before.candle || now.at === before.at) return false;
          return reorg === now.takenBack > before.takenBack && (!reorg || now.replaced > 0);
        });
      };
      await world.mineUntil('a block comes whole', () => whole(false));
      await until('a reorg comes whole', async () => {
        await world.newestOnTape(page);
        await world.chain.reorg(2);
        await page.locator('tr.taken-back').first().waitFor({ timeout: PATIENCE_MS });
        return whole(true);
      });
      await page.locator('.chart-fork').waitFor({ timeout: PATIENCE_MS });
      await tapeIsTrue(page);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'says that the connection is lost, comes back by itself, and has missed nothing',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      await tapeIsTrue(page);
      await until('it is live', async () => (await attribute(line(page), 'data-connection')) === 'live');
      clean(watched);
      const before = await restTape(1);
      world.line.cut();
      await page.locator('.connection-lost').waitFor({ timeout: PATIENCE_MS });
      await until('it counts down', async () =>
        /connection lost.* trying again (in \d+ s|now)/.test((await line(page).textContent())!),
      );
      await world.mineUntil('a trade happens meanwhile', async () => (await restTape(1))[0] !== before[0]);
      expect((await tape(page))[0]).toBe(before[0]);
      world.line.mend();
      await page
        .locator('.connection-back')
        .getByText('back, nothing missed')
        .first()
        .waitFor({ timeout: PATIENCE_MS });
      await tapeIsTrue(page);
      await until('it is live again', async () => (await attribute(line(page), 'data-connection')) === 'live');
      expect(watched.strays).toEqual([]);
      // The browser notes the broken requests; the page's own scripts say nothing.
      expect(watched.errors.filter((text) => !/ERR_|WebSocket connection to/.test(text))).toEqual([]);
    },
    LIMIT_MS,
  );
});
