import type { Locator, Page } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { accessibilityProblems } from './axe.js';
import { DESKTOP, describeWithBrowser, PHONE, type WatchedPage } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import { attribute, chart, rows } from './token-view.js';

/** The console in a real browser, on a real program, over a chain that moves when the test says so. */
const LIMIT_MS = 3 * PATIENCE_MS;

describeWithBrowser('console (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 420, historySeconds: 4 * 3_600 });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const line = (page: Page): Locator => page.locator('.connection');

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
      const block = (): Promise<string> => attribute(page.locator('.blocks [data-block]'), 'data-block');
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
      await page.locator(`a[href="#/token/eth/${second}"]:focus`).waitFor();

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
      for (const words of ['Is in sync', 'Reorgs seen', 'Finalized', 'node 1', 'healthy'])
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
      await page.reload();
      await page.locator('[data-chain=eth]').waitFor();
      const nav = page.getByRole('navigation', { name: 'Pages' });
      await until('the link of the open page is in view', async () => {
        const [bar, open] = [await nav.boundingBox(), await nav.locator('[aria-current]').boundingBox()];
        return open!.x >= bar!.x && open!.x + open!.width <= bar!.x + bar!.width;
      });
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
      const watched = await world.visit(`/token/eth/0x${'12'.repeat(20)}`, PHONE);
      const { page, strays } = watched;
      await page.getByRole('alert').getByText('not known here').waitFor();
      expect(await watched.widths()).toEqual({ content: PHONE.width, window: PHONE.width });
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.evaluate(`location.hash = '#/nowhere'`);
      await page.getByRole('alert').getByText('There is no such page').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Go to the tokens' }).click();
      await rows(page).first().waitFor();
      expect(strays).toEqual([]);
    },
    LIMIT_MS,
  );
});
