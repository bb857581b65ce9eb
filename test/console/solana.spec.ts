import type { Page } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { DESKTOP, describeWithBrowser, PHONE, type WatchedPage } from './browser.js';
import { ConsoleWorld, WSOL } from './console-world.js';
import { attribute, chart, rows, tape } from './token-view.js';

/** The console over a local Solana chain whose slots and forks come when the test says so. */
const LIMIT_MS = 3 * PATIENCE_MS;
const TOKEN = `/token/sol/${WSOL}`;

describeWithBrowser('console on Solana (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ solana: true, historyBlocks: 150, historySeconds: 4 * 3_600 });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const restTape = async (limit: number): Promise<string[]> => {
    const { data } = await world.market.get<TradesAnswer>(`/tokens/sol/${WSOL}/trades?limit=${limit}`);
    // A page never ends inside a transaction: it may hold a few more than asked for.
    return data.map(({ id }) => id).slice(0, limit);
  };
  const tapeIsTrue = (page: Page): Promise<void> =>
    until('the tape shows what REST answers', async () => {
      const shown = await tape(page);
      const answered = await restTape(Math.min(50, Math.max(1, shown.length)));
      return shown.length > 0 && JSON.stringify(shown.slice(0, answered.length)) === JSON.stringify(answered);
    });
  const drawn = async (page: Page): Promise<string> =>
    (await Promise.all(['time', 'trades', 'close'].map((name) => attribute(chart(page), `data-last-${name}`)))).join();
  const answered = async (): Promise<string> => {
    const { data } = await world.market.get<CandlesAnswer>(`/tokens/sol/${WSOL}/candles?limit=1&pool=primary`);
    return [data[0]!.time, data[0]!.trades, data[0]!.close].join();
  };
  const clean = ({ errors, strays }: WatchedPage): void =>
    expect({ errors, strays }).toEqual({ errors: [], strays: [] });

  test(
    'lists the tokens of the chain, at a slot, in base58',
    async () => {
      const watched = await world.visit('/tokens/solana', DESKTOP);
      const { page } = watched;
      await rows(page).first().waitFor();
      const { data } = await world.market.get<ScreenerAnswer>('/screener?chain=sol');
      const shown = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-token')));
      expect([...shown].sort()).toEqual(data.map(({ address }) => address).sort());
      expect(shown).toContain(WSOL);
      expect(await page.locator('.blocks').textContent()).toMatch(/^sol slot [\d,]+$/);
      // One chain is served: there is nothing to choose between.
      expect(await page.locator('.chain-choice').count()).toBe(0);
      await page.goto(`${world.line.url}/#/tokens/eth`);
      await page.getByRole('alert').first().waitFor();
      await page.goto(`${world.line.url}/#/tokens/sol`);
      await rows(page).first().waitFor();
      expect(watched.strays).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'shows the pictures that the tokens carry',
    async () => {
      const watched = await world.visit('/tokens/solana', DESKTOP);
      const { page } = watched;
      await rows(page).first().waitFor();
      const pictures = () =>
        page.locator('[data-token] .mark img').evaluateAll((all) =>
          all.map((one) => {
            const { naturalWidth, complete, src } = one as unknown as {
              naturalWidth: number;
              complete: boolean;
              src: string;
            };
            return { width: complete ? naturalWidth : 0, src };
          }),
        );
      // Those of this chain are eight points wide and shown eight times as large; a pattern has 120.
      await until('every token in the list has its own picture', async () => {
        const shown = await pictures();
        if (shown.length > 5 && shown.every(({ width }) => width === 64)) return true;
        await page.reload();
        await rows(page).first().waitFor();
        return false;
      });
      const { data } = await world.market.get<TokenAnswer>(`/tokens/sol/${WSOL}`);
      expect(data).toMatchObject({ image: null, description: 'Of a local chain' });
      await page.goto(`${world.line.url}/#${TOKEN}`);
      await page.locator('.mark-large img[data-loaded]').waitFor();
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'finds a token by its mint and by a pool that trades it',
    async () => {
      const watched = await world.visit('/', DESKTOP);
      const { page } = watched;
      await rows(page).first().waitFor();
      const { data } = await world.market.get<ScreenerAnswer>('/screener?chain=sol&sort=liquidity&order=asc');
      const { address, symbol } = data[0]!;
      const { data: token } = await world.market.get<TokenAnswer>(`/tokens/sol/${address}`);
      for (const words of [address, token.pools[0]!.address]) {
        await page.keyboard.press('/');
        await page.keyboard.insertText(words);
        const hit = page.getByRole('option').filter({ hasText: `${address.slice(0, 4)}…${address.slice(-4)}` });
        await hit.waitFor();
        await hit.click();
        await page.getByRole('heading', { name: symbol! }).first().waitFor();
        expect(page.url()).toContain(`#/token/sol/${address}`);
        await page.keyboard.press('t');
        await rows(page).first().waitFor();
      }
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'shows a token with short addresses that are copied whole, and links to what it is traded for',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      await page.getByRole('heading', { name: 'SOL' }).first().waitFor();
      await until('candles are drawn', async () => Number(await attribute(chart(page), 'data-candles')) > 20);
      expect(await page.locator('.token-title code').textContent()).toBe('So11…1112');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the address' }).click();
      await until('it is copied', async () => (await page.evaluate('navigator.clipboard.readText()')) === WSOL);
      const { data } = await world.market.get<TokenAnswer>(`/tokens/sol/${WSOL}`);
      const more = page.getByRole('button', { name: 'Show all' });
      if ((await more.count()) > 0) await more.click();
      const pools = await page.locator('.pools tbody code').allTextContents();
      expect(pools).toEqual(data.pools.map(({ address }) => `${address.slice(0, 4)}…${address.slice(-4)}`));
      expect(new Set(data.pools.map(({ dex }) => dex))).toEqual(new Set(['Tidepool AMM', 'Tidepool Launchpad']));
      // Swaps are another family's.
      expect(await page.locator('.swap-link').count()).toBe(0);
      const curve = data.pools.find(({ dex }) => dex === 'Tidepool Launchpad')!;
      await page.goto(`${world.line.url}/#/token/sol/${curve.quoteToken}`);
      await page.getByRole('heading', { name: curve.quoteSymbol! }).first().waitFor();
      expect(await page.locator('.pools tbody').textContent()).toContain('Tidepool Launchpad');
      await page.locator('tr[data-trade]').first().waitFor();
      await page.getByRole('link', { name: 'sol', exact: true }).click();
      await rows(page).first().waitFor();
      expect(page.url()).toContain('#/tokens/sol');
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'follows a fork: its trades are struck out and the candle takes them back',
    async () => {
      const watched = await world.visit(TOKEN, DESKTOP);
      const { page } = watched;
      await tapeIsTrue(page);
      const lost = await world.newestOnTape(page);
      const gone = (await restTape(50)).slice(0, 1)[0]!;
      await until('the candle is the one of REST', async () => (await drawn(page)) === (await answered()));
      const before = await drawn(page);

      // The newest block of the chain is not confirmed yet: no client has seen it.
      await world.solana.fork(2, { drop: 1 });
      const struck = page.locator('tr.taken-back');
      await struck.first().waitFor({ timeout: PATIENCE_MS });
      expect(await attribute(struck.first(), 'data-trade-block')).toBe(String(lost));
      expect(await attribute(struck.first(), 'data-trade')).toBe(gone);
      const cell = `document.querySelector('tr.taken-back td:nth-child(2)')`;
      expect(await page.evaluate(`getComputedStyle(${cell}).textDecorationLine`)).toBe('line-through');
      const note = (await page.locator('.tape-note').textContent())!;
      expect(note).toMatch(
        new RegExp(`^Slot ${lost.toLocaleString('en-US')} was replaced: \\d+ trades? (was|were) reversed`),
      );
      expect(await page.locator('.tape header').textContent()).toContain('slot');

      await world.servedHeight();
      expect(await restTape(50)).not.toContain(gone);
      await until('the candle follows', async () => (await drawn(page)) === (await answered()));
      expect(await drawn(page)).not.toBe(before);
      await struck.first().waitFor({ state: 'detached', timeout: PATIENCE_MS });
      await tapeIsTrue(page);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'tells the state of the chain in slots',
    async () => {
      const watched = await world.visit('/status', DESKTOP);
      const { page } = watched;
      const card = page.locator('[data-chain=sol]');
      await card.waitFor();
      await until('the chain is live', async () => (await attribute(card, 'data-state')) === 'live');
      const slot = (await world.servedHeight()).toLocaleString('en-US');
      await until('the head', async () => (await card.textContent())!.includes(slot));
      await until('no lag', async () => (await card.textContent())!.includes('0 slots'));
      const text = (await card.textContent())!;
      for (const words of ['Newest slot', 'deepest 1 slot', 'node 1 http', 'node 2 ws']) expect(text).toContain(words);
      expect(text).not.toContain(new URL(world.solana.rpcUrl).port);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'says that swaps are not offered, which is no error, and where else to go',
    async () => {
      for (const place of [`/swap/sol/native/${WSOL}`, '/swap']) {
        const watched = await world.visit(place, DESKTOP);
        const { page } = watched;
        await page.getByText('Swaps on Solana are not offered yet').waitFor();
        expect(await page.getByRole('alert').count()).toBe(0);
        await page
          .getByRole('link', { name: place === '/swap' ? 'the tokens of the chain' : 'the token', exact: true })
          .click();
        await page
          .locator(place === '/swap' ? 'tr[data-token]' : '.token-page')
          .first()
          .waitFor();
        clean(watched);
      }
    },
    LIMIT_MS,
  );

  test(
    'fits a phone',
    async () => {
      for (const place of ['/tokens/sol', TOKEN, '/status', `/swap/sol/native/${WSOL}`]) {
        const watched = await world.visit(place, PHONE);
        await watched.page
          .locator('tr[data-token], .chart[data-last-close], [data-chain=sol], .notice')
          .first()
          .waitFor();
        const { content, window } = await watched.widths();
        expect([place, content]).toEqual([place, window]);
        clean(watched);
      }
    },
    LIMIT_MS,
  );
});
