import type { Locator, Page } from 'playwright-core';
import type { CandlesAnswer } from '#libs/protocol/rest/candle-body.js';
import type { ScreenerAnswer } from '#libs/protocol/rest/screener-body.js';
import type { TradesAnswer } from '#libs/protocol/rest/trade-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { DESKTOP, describeWithBrowser, PHONE, type WatchedPage } from './browser.js';
import { ConsoleWorld, until, WETH } from './console-world.js';
import { attribute, chart, rows, shownTogether, tape, watchTogether } from './token-view.js';

/** The console in a real browser, on a real program, over a chain that moves when the test says so. */
const LIMIT_MS = 3 * PATIENCE_MS;
const TOKEN = `/token/eth/${WETH}`;

describeWithBrowser('console (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 420, historySeconds: 4 * 3_600 });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const line = (page: Page): Locator => page.locator('.connection');

  const restTape = async (count: number): Promise<string[]> => {
    const { data } = await world.market.get<TradesAnswer>(`/tokens/eth/${WETH}/trades?limit=${count}`);
    return data.map(({ id }) => id);
  };

  /** The page has caught up: the newest rows of its tape are those that REST gives. */
  const tapeIsTrue = (page: Page): Promise<void> =>
    until('the tape shows what REST answers', async () => {
      const shown = await tape(page);
      const answered = await restTape(Math.min(50, Math.max(1, shown.length)));
      return shown.length > 0 && JSON.stringify(shown.slice(0, answered.length)) === JSON.stringify(answered);
    });

  const clean = (watched: WatchedPage): void => {
    expect(watched.errors).toEqual([]);
    expect(watched.strays).toEqual([]);
  };

  test(
    'asks for a key, refuses a wrong one, and keeps a right one in the tab alone',
    async () => {
      const { page, errors, strays } = await world.blank(DESKTOP);
      await page.goto(`${world.line.url}/`);
      await page.getByText('demo-key').first().waitFor();
      expect(await page.locator('table').count()).toBe(0);

      await page.getByLabel('API key').fill('tp_wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('does not know this key').waitFor();
      expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');

      await page.getByLabel('API key').fill(world.key);
      await page.keyboard.press('Enter');
      await rows(page).first().waitFor();
      const kept = await page.evaluate(
        '[JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]',
      );
      const [tab, device, cookie] = kept as string[];
      expect(tab).toContain(world.key);
      expect(device).not.toContain(world.key);
      expect(cookie).toBe('');
      expect(strays).toEqual([]);
      // The browser itself notes the 401 of the wrong key; nothing else may be said.
      expect(errors.filter((text) => !text.includes('401'))).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'takes the key out of the link at once and works without it after a reload',
    async () => {
      const watched = await world.visit('/status', DESKTOP);
      const { page } = watched;
      await page.getByRole('heading', { name: 'Status' }).waitFor();
      expect(page.url()).toBe(`${world.line.url}/#/status`);
      expect(await page.content()).not.toContain(world.key);
      await page.reload();
      await page.getByRole('heading', { name: 'Status' }).waitFor();
      await page.goBack().catch(() => null);
      expect(page.url()).not.toContain('key=');
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'lists the tokens of the chain with prices that move with its blocks',
    async () => {
      const watched = await world.visit('/', DESKTOP);
      const { page } = watched;
      await rows(page).first().waitFor();
      const { data } = await world.market.get<ScreenerAnswer>('/screener');
      expect(await rows(page).count()).toBe(data.length);
      const block = (): Promise<string> => attribute(page.locator('[data-block]'), 'data-block');
      const prices = (): Promise<string[]> => page.locator('.cell-price').allTextContents();
      const [firstBlock, firstPrices] = [await block(), await prices()];
      await world.mineUntil(
        'a price moves',
        async () => JSON.stringify(await prices()) !== JSON.stringify(firstPrices),
      );
      expect(Number(await block())).toBeGreaterThan(Number(firstBlock));
      expect(await attribute(line(page), 'data-connection')).toBe('live');
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'is sorted and searched by keyboard alone',
    async () => {
      const watched = await world.visit('/', DESKTOP);
      const { page } = watched;
      await rows(page).first().waitFor();
      const shown = (): Promise<(string | null)[]> =>
        rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-token')));
      const asked = async (query: string): Promise<string[]> =>
        (await world.market.get<ScreenerAnswer>(`/screener?${query}`)).data.map(({ address }) => address);

      const head = page.getByRole('button', { name: 'Price', exact: true });
      await head.focus();
      for (const [order, sorted] of [
        ['desc', 'descending'],
        ['asc', 'ascending'],
      ]) {
        await page.keyboard.press('Enter');
        const expected = await asked(`sort=price&order=${order}`);
        await until(`the list is ${sorted}`, async () => JSON.stringify(await shown()) === JSON.stringify(expected));
        expect(await attribute(page.locator('th.cell-price'), 'aria-sort')).toBe(sorted);
      }

      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('j');
      const second = (await shown())[1];
      const focused = await page.evaluate('document.activeElement.getAttribute("href")');
      expect(focused).toBe(`#/token/eth/${second}`);

      await page.keyboard.press('/');
      await page.keyboard.type('otter');
      const hit = page.getByRole('option', { name: /OTTR/ });
      await hit.waitFor();
      expect(await hit.getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /OTTR/ }).waitFor();
      expect(page.url()).toContain('#/token/eth/0x');

      // Enter without waiting for the hits opens the first of them.
      await page.keyboard.press('/');
      await page.keyboard.type('harbor');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /HRBR/ }).waitFor();

      await page.keyboard.press('/');
      await page.keyboard.type('no such thing');
      await page.getByText('No matches').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('t');
      await rows(page).first().waitFor();
      clean(watched);
    },
    LIMIT_MS,
  );

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
      const { data } = await world.market.get<CandlesAnswer>(`/tokens/eth/${WETH}/candles?limit=1`);
      const last = data[0]!;
      await until(
        'the last candle is the one REST gives',
        async () => (await state()) === `${last.time} ${last.trades}`,
      );
      expect(Number(await attribute(chart(page), 'data-last-close'))).toBe(last.close);
      expect(await page.locator('.legend').textContent()).toContain('Vol');
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'changes interval and currency by keyboard and reads older pages when scrolled back',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
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
    'strikes out the trades of a replaced block, says which it was, and lets them go',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      await tapeIsTrue(page);
      const top = async (): Promise<number> =>
        Number(await attribute(page.locator('tr[data-trade]').first(), 'data-trade-block'));
      // Only what is on the tape can be taken back: the newest block has to hold a trade of this token.
      await world.mineUntil('the newest block trades it', async () => (await world.servedHeight()) === (await top()));
      const lost = await top();
      await world.chain.reorg(2);
      const struck = page.locator('tr.taken-back');
      await struck.first().waitFor({ timeout: PATIENCE_MS });
      expect(await attribute(struck.first(), 'data-trade-block')).toBe(String(lost));
      const cell = `document.querySelector('tr.taken-back td:nth-child(2)')`;
      const style = await page.evaluate(`getComputedStyle(${cell}).textDecorationLine`);
      expect(style).toBe('line-through');
      const note = await page.locator('.tape-note').textContent();
      expect(note).toMatch(/replaced: \d+ trades? (was|were) taken back/);
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
        const [newest] = await tape(page);
        await world.mineUntil('a trade that can be taken back', async () => (await tape(page))[0] !== newest);
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

  test(
    'says the same of the list, which asks again by itself',
    async () => {
      const { page } = await world.visit('/', DESKTOP);
      await rows(page).first().waitFor();
      world.line.cut();
      await page.locator('.connection-lost').waitFor({ timeout: PATIENCE_MS });
      expect(await rows(page).count()).toBeGreaterThan(5);
      world.line.mend();
      await page.locator('.connection-back').waitFor({ timeout: PATIENCE_MS });
    },
    LIMIT_MS,
  );

  test(
    'tells the state of chain, nodes and log',
    async () => {
      const watched = await world.visit('/status', DESKTOP);
      const { page } = watched;
      const card = page.locator('[data-chain=eth]');
      await card.waitFor();
      await until('the chain is live', async () => (await attribute(card, 'data-state')) === 'live');
      const head = (await world.market.chain('eth')).head!.block;
      await until('the head', async () => (await card.textContent())!.includes(head.toLocaleString('en-US')));
      const text = (await card.textContent())!;
      for (const words of ['Follows its head', 'Reorgs seen', 'Finalized', 'node 1', 'answers'])
        expect(text).toContain(words);
      expect(text).not.toContain(new URL(world.chain.rpcUrl).port);
      const topics = await page.locator('.topics tbody th').allTextContents();
      expect(topics.some((name) => name.startsWith('blocks.eth'))).toBe(true);
      expect(topics.some((name) => name.startsWith('facts.eth'))).toBe(true);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'switches between dark and light, keeps the choice, and lists its keys',
    async () => {
      const watched = await world.visit('/', DESKTOP);
      const { page } = watched;
      await rows(page).first().waitFor();
      const ground = (): Promise<unknown> =>
        page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      const dark = await ground();
      await page.keyboard.press('d');
      expect(await ground()).not.toBe(dark);
      await page.reload();
      await rows(page).first().waitFor();
      expect(await ground()).not.toBe(dark);
      await page.getByRole('button', { name: 'Switch to dark' }).click();
      expect(await ground()).toBe(dark);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'fits a phone: nothing is wider than the screen, and every figure of the list can still order it',
    async () => {
      const watched = await world.visit('/', PHONE);
      const { page } = watched;
      await rows(page).first().waitFor();
      const fits = async (): Promise<void> => {
        const { content, window } = await watched.widths();
        expect([page.url(), content]).toEqual([page.url(), window]);
      };
      await fits();
      await page.getByLabel('Order by').selectOption('liquidity');
      const { data } = await world.market.get<ScreenerAnswer>('/screener?sort=liquidity');
      await until(
        'the deepest is first',
        async () => (await attribute(rows(page).first(), 'data-token')) === data[0]!.address,
      );
      await rows(page).first().getByRole('link').click();
      await until('candles are drawn', async () => Number(await attribute(chart(page), 'data-candles')) > 0);
      await fits();
      await page.getByRole('link', { name: 'Status' }).click();
      await page.locator('[data-chain=eth]').waitFor();
      await fits();
      const bare = await world.blank(PHONE);
      await bare.page.goto(`${world.line.url}/`);
      await bare.page.getByLabel('API key').waitFor();
      expect(await bare.widths()).toEqual({ content: PHONE.width, window: PHONE.width });
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'says what to do about a token nobody knows and a page that does not exist',
    async () => {
      const { page, strays } = await world.visit(`/token/eth/0x${'12'.repeat(20)}`, DESKTOP);
      await page.getByRole('alert').getByText('not known here').waitFor();
      await page.evaluate(`location.hash = '#/nowhere'`);
      await page.getByRole('alert').getByText('There is no such page').waitFor();
      await page.getByRole('link', { name: 'Go to the tokens' }).click();
      await rows(page).first().waitFor();
      expect(strays).toEqual([]);
    },
    LIMIT_MS,
  );
});
