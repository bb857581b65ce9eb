import type { Locator, Page, Request } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { SolReceiptsAnswer } from '#libs/serve/contract/rest/solana/receipt-body.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { accessibilityProblems } from './axe.js';
import { DESKTOP, describeWithBrowser, PHONE, type WatchedPage } from './browser.js';
import { ConsoleWorld, WSOL } from './console-world.js';
import { land, useDemoWallet } from './swap-steps.js';

/** Swaps on Solana in a real browser: a real program on its own local chain, whose slots and forks come by themselves. */
const LIMIT_MS = 3 * PATIENCE_MS;
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v';
const PAIR = `/swap/sol/native/${USDC}`;

describeWithBrowser('swaps on Solana in the console (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 200, demo: true, chains: ['sol'] });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const clean = ({ errors, strays }: WatchedPage): void =>
    expect({ errors, strays }).toEqual({ errors: [], strays: [] });
  const receive = (page: Page): Locator => page.locator('#receive');
  const pay = (page: Page, amount: string): Promise<void> => page.getByLabel('You pay').fill(amount);

  test(
    'quotes to the last digit what the router says, in USD too, and says what is wrong with a wallet',
    async () => {
      const watched = await world.visit('/swap', DESKTOP);
      const { page } = watched;
      // Without a link: the coin for the deepest token of the chain.
      await page.waitForURL(/#\/swap\/sol\/native\/[1-9A-HJ-NP-Za-km-z]{32,44}$/);
      await page.goto(`${world.line.url}/#${PAIR}`);
      await page.getByRole('button', { name: /^USDC/ }).waitFor();
      const answer = page.waitForResponse((one) => one.url().includes('/quote?') && one.status() === 200);
      await pay(page, '1.000000001');
      const quote = (await (await answer).json()) as SolQuote;
      expect(quote).toMatchObject({ inAmount: '1000000001', inputMint: WSOL, outputMint: USDC, slippageBps: 50 });
      await receive(page).and(page.locator('[data-out]')).waitFor();
      const shown = (await page.evaluate(`({
        floor: document.querySelector('[data-quote] [data-floor]').dataset.floor,
        pools: [...document.querySelectorAll('[data-quote] [data-pool]')].map((of) => of.dataset.pool),
        legs: [...document.querySelectorAll('[data-quote] [data-leg]')].map((of) => Number(of.dataset.leg)),
        out: document.querySelector('#receive').dataset.out,
        worth: [...document.querySelectorAll('[data-worth]')].map((of) => Number(of.dataset.worth)),
      })`)) as { floor: string; pools: string[]; legs: number[]; out: string; worth: number[] };
      expect(BigInt(shown.floor)).toBe((BigInt(shown.out) * 9_950n) / 10_000n);
      expect(shown.pools.length).toBeGreaterThan(0);
      expect(shown.legs.reduce((sum, bps) => sum + bps)).toBe(10_000);
      expect(shown.worth).toEqual([expect.any(Number), expect.any(Number)]);

      await page.getByLabel('Wallet that will sign').fill(`0x${'12'.repeat(20)}`);
      await page.getByText('32 to 44 characters of base58').first().waitFor();
      await page.getByRole('button', { name: 'Swap the other way round' }).click();
      await page.waitForURL((url) => url.hash === `#/swap/sol/${USDC}/native`);
      expect(await accessibilityProblems(page)).toEqual([]);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'signs with a demo wallet whose key leaves the tab for nobody; the swap lands, and is in the trades',
    async () => {
      const watched = await world.visit(PAIR, DESKTOP);
      const { page } = watched;
      const sent: string[] = [];
      page.on('request', (request: Request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
      await pay(page, '1.5');
      const wallet = await useDemoWallet(page);
      const first = await land(page);
      expect(first.received).toBeGreaterThan(0n);
      const key = (await page.evaluate('sessionStorage.getItem("tidepool.demo-wallet.solana")')) as string;
      expect(key).toMatch(/^[0-9a-f]{64}$/);
      expect(sent.join('\n')).not.toContain(key);
      await until('the trade is served', async () => {
        const { data } = await world.market.get<TradesAnswer>(`/tokens/sol/${WSOL}/trades?limit=200`);
        return data.some((trade) => trade.wallet === wallet);
      });

      // Back again: the coin arrives, its cost left out.
      await page.getByRole('button', { name: 'Swap again' }).click();
      await page.getByRole('button', { name: 'Swap the other way round' }).click();
      await pay(page, '100');
      const back = await land(page);
      const [before, after] = await page.locator('.balances tbody tr').last().locator('td').allTextContents();
      expect(Number(after!.replaceAll(',', ''))).toBeGreaterThan(Number(before!.replaceAll(',', '')));
      expect(back.received).toBeGreaterThan(0n);

      const receipts = async () =>
        (await world.asked<SolReceiptsAnswer>(`/receipts?state=executed&wallet=${wallet}`)).data;
      await until('both receipts are executed', async () => (await receipts()).length === 2);
      await page.getByRole('link', { name: 'receipts', exact: true }).click();
      for (const { id, quotedOut } of await receipts()) {
        const row = page.locator(`tr[data-receipt="${id}"][data-state=executed]`);
        await row.waitFor({ timeout: PATIENCE_MS });
        expect([await row.getByText(/^slot [\d,]+$/).count(), BigInt(quotedOut) > 0n]).toEqual([2, true]);
        await page.locator(`.receipt-dot[data-point="${id}"]`).waitFor();
      }
      await page
        .getByRole('link', { name: /^1\.5 SOL → / })
        .first()
        .waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      clean(watched);

      await page.goto(`${world.line.url}/#/token/sol/${USDC}`);
      await page.locator('.swap-link').click();
      await page.waitForURL((url) => url.hash === `#${PAIR}`);
      await page.reload();
      await page.locator(`[data-demo-wallet="${wallet}"]`).waitFor();
    },
    LIMIT_MS,
  );

  test(
    'stops before the signature where the wallet is another one, and fits a phone',
    async () => {
      const { page, widths } = await world.visit(PAIR, PHONE).then((watched) => ({
        page: watched.page,
        widths: () => watched.widths(),
      }));
      await pay(page, '0.25');
      // It holds nothing, so the build is refused; nothing is offered to be signed.
      await page.getByLabel('Wallet that will sign').fill(USDC);
      await receive(page).and(page.locator('[data-out]')).waitFor();
      await page.getByRole('button', { name: 'Build transactions' }).click();
      await page.locator('[data-build=refused]').waitFor({ timeout: PATIENCE_MS });
      expect(await page.getByRole('button', { name: /^Sign with/ }).count()).toBe(0);
      const { content, window } = await widths();
      expect(content).toBe(window);
    },
    LIMIT_MS,
  );
});
