import type { Page } from 'playwright-core';
import type { BoardAnswer } from '#libs/protocol/rest/launchpad-body.js';
import type { TokenAnswer } from '#libs/protocol/rest/token-body.js';
import type { TradesAnswer } from '#libs/protocol/rest/trade-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { DESKTOP, describeWithBrowser, type WatchedPage } from './browser.js';
import { ConsoleWorld, until } from './console-world.js';

/** Launches in a real browser: a real program on its own local chain, whose blocks and reorgs come by themselves. */
const LIMIT_MS = 3 * PATIENCE_MS;
const BUY = 10n ** 17n;

describeWithBrowser('launches in the console (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 60, demo: true });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const clean = ({ errors, strays }: WatchedPage): void =>
    expect({ errors, strays }).toEqual({ errors: [], strays: [] });

  /** Builds, signs and waits for the block; again where a reorg took something away, as the page itself says to do. */
  async function landed(page: Page): Promise<{ address: string; block: number }> {
    let found: { address: string; block: number } | null = null;
    await until('the creation lands', async () => {
      await page.getByRole('button', { name: 'Preview and cost' }).click();
      await page.locator('[data-launch=built], [data-launch=refused]').waitFor({ timeout: PATIENCE_MS });
      if ((await page.locator('[data-launch=built]').count()) === 0) return false;
      const address = (await page.locator('[data-launched]').getAttribute('data-launched'))!;
      await page.getByRole('button', { name: 'Sign with the demo wallet' }).click();
      const outcome = page.locator('[data-landed]');
      await outcome.or(page.locator('.build-card .trouble')).first().waitFor({ timeout: PATIENCE_MS });
      if ((await outcome.count()) === 0) return false;
      found = { address, block: Number(await outcome.getAttribute('data-landed')) };
      return true;
    });
    return found!;
  }

  test(
    'says what is missing, shows preview and cost, signs with the demo wallet; the token is on the board',
    async () => {
      const watched = await world.visit('/launches', DESKTOP);
      const { page } = watched;
      await page.getByRole('link', { name: 'Launch', exact: true }).click();
      await page.waitForURL(/#\/launch$/);
      await page.getByRole('button', { name: 'Preview and cost' }).click();
      await page.locator('#launch-name-trouble').waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('launch-name');
      expect(await page.locator('[data-launch]').count()).toBe(0);

      await page.getByLabel('Name').fill('Spring Tide');
      await page.getByLabel('Symbol').fill('SPRING');
      await page.getByLabel(/^First buy/).fill('0.1');
      await page.getByRole('button', { name: 'Use a demo wallet' }).click();
      await until('the wallet is in the form', async () =>
        /^0x[0-9a-f]{40}$/.test(await page.getByLabel('Wallet that will sign').inputValue()),
      );
      const { address, block } = await landed(page);
      await page.locator('[data-listed=true]').waitFor({ timeout: PATIENCE_MS });

      const { data } = await world.market.get<BoardAnswer>('/launchpad/new?limit=50');
      const row = data.find((each) => each.address === address)!;
      expect(row).toMatchObject({ chain: 'eth', name: 'Spring Tide', symbol: 'SPRING' });
      expect(row.launchpad).toMatchObject({ name: 'tidepool', graduated: false });
      const token = (await world.market.get<TokenAnswer>(`/tokens/eth/${address}`)).data;
      expect([token.creator, token.symbol]).toEqual([row.creator, 'SPRING']);
      const trades = (await world.market.get<TradesAnswer>(`/tokens/eth/${address}/trades?limit=200`)).data;
      const first = trades.at(-1)!;
      expect([first.side, first.block, first.pool]).toEqual(['buy', block, row.curve.pool]);
      expect(BigInt(Math.round(Number(first.quoteAmount) * 1e18))).toBe(BUY);

      await page.getByRole('link', { name: 'the token' }).click();
      await page.waitForURL(new RegExp(`#/token/eth/${address}$`));
      await page.getByText('SPRING').first().waitFor();
      clean(watched);
    },
    LIMIT_MS,
  );
});
