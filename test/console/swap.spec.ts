import type { Locator, Page, Request } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmReceiptsAnswer } from '#libs/serve/contract/rest/evm/receipt-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { SearchAnswer } from '#libs/serve/contract/rest/search-body.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { accessibilityProblems } from './axe.js';
import { DESKTOP, describeWithBrowser, PHONE, type WatchedPage } from './browser.js';
import { ConsoleWorld, WETH } from './console-world.js';
import { land, useDemoWallet } from './swap-steps.js';
import { attribute } from './token-view.js';

/** Swaps in a real browser: a real program on its own local chain, whose blocks and reorgs come by themselves. */
const LIMIT_MS = 3 * PATIENCE_MS;
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const PAIR = `/swap/eth/native/${USDC}`;

describeWithBrowser('swaps in the console (long)', () => {
  let world: ConsoleWorld;
  let node: string;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 600, demo: true });
    node = world.node!;
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const visit = (place: string): Promise<WatchedPage> => world.visit(place, DESKTOP);
  const clean = ({ errors, strays }: WatchedPage): void =>
    expect({ errors, strays }).toEqual({ errors: [], strays: [] });
  const receive = (page: Page): Locator => page.locator('#receive');
  const quoted = (page: Page): Promise<EvmQuote> =>
    page
      .waitForResponse((answer) => answer.url().includes('/evm/quote') && answer.status() === 200)
      .then(async (answer) => (await answer.json()) as EvmQuote);
  const pay = (page: Page, amount: string): Promise<void> => page.getByLabel('You pay').fill(amount);

  test(
    'draws what the pair did: a token in the coin, and the coin in dollars',
    async () => {
      const { data } = await world.market.get<SearchAnswer>('/search?q=OTTR');
      const token = data[0]!.address;
      for (const [viewer, place, drawn, unit] of [
        [DESKTOP, `/swap/eth/native/${token}`, token, 'OTTR in ETH'],
        [DESKTOP, PAIR, WETH, 'ETH in USD'],
        [PHONE, `/swap/eth/${token}/native`, token, 'OTTR in ETH'],
      ] as const) {
        const watched = await world.visit(place, viewer);
        const { page } = watched;
        const card = page.locator('.pair-chart');
        await card.locator('.chart[data-candles]:not([data-candles="0"])').waitFor();
        expect(await attribute(card, 'data-drawn')).toBe(drawn);
        expect(await card.getByRole('heading').textContent()).toBe(unit);
        const [side, form] = [(await card.boundingBox())!, (await page.locator('.swap-main').boundingBox())!];
        if (viewer === DESKTOP) expect(side.x).toBeGreaterThanOrEqual(form.x + form.width);
        const { content, window } = await watched.widths();
        expect(content).toBe(window);
        expect(await accessibilityProblems(page)).toEqual([]);
        clean(watched);
        await page.context().close();
      }
    },
    LIMIT_MS,
  );

  test(
    'quotes to the last digit what the router says, and asks again by itself',
    async () => {
      const watched = await world.blank(DESKTOP);
      const { page } = watched;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const times = (path: string): number => asked.filter((each) => each === path).length;
      await page.goto(`${world.line.url}/#key=${world.key}&go=${PAIR}`);
      await page.getByRole('button', { name: /^USDC/ }).waitFor();
      const answer = quoted(page);
      await pay(page, '1.000000000000000001');
      const quote = await answer;
      expect(quote).toMatchObject({ inAmount: '1000000000000000001', slippageBps: 50, outputMint: USDC });
      await until('the quote is shown', async () => (await receive(page).getAttribute('data-out')) !== null);
      const [first] = await page.locator('[data-quote]').evaluateAll((all) => all.map((of) => of.dataset.quote));
      await until('another quote', async () => {
        const [id] = await page.locator('[data-quote]').evaluateAll((all) => all.map((of) => of.dataset.quote));
        return id !== undefined && id !== first;
      });
      // What is shown is one answer throughout: its output, its floor and its pools.
      const shown = (await page.evaluate(`({
        floor: document.querySelector('[data-quote] [data-floor]').dataset.floor,
        pools: [...document.querySelectorAll('[data-quote] [data-pool]')].map((of) => of.dataset.pool),
        out: document.querySelector('#receive').dataset.out,
      })`)) as { floor: string; pools: string[]; out: string };
      expect(BigInt(shown.floor)).toBe((BigInt(shown.out) * 9_950n) / 10_000n);
      expect(shown.pools.length).toBeGreaterThan(0);
      expect(Number(await page.locator('.countdown').getAttribute('data-left'))).toBeGreaterThan(20);

      await page.getByRole('button', { name: '1%', exact: true }).click();
      await until('the floor follows the slippage', async () => {
        const [out, floor] = [
          await receive(page).getAttribute('data-out'),
          await page.locator('[data-floor]').getAttribute('data-floor'),
        ];
        return out !== null && BigInt(floor!) === (BigInt(out) * 9_900n) / 10_000n;
      });
      // What changes seldom is asked for seldom.
      await until('the router was asked again and again', async () => times('/evm/ready') >= 8);
      expect(times('/chains')).toBeGreaterThan(0);
      expect(times('/chains')).toBeLessThan(times('/evm/ready') / 2);
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'asks twice before it builds what moves the price by more than 5 %',
    async () => {
      const { page } = await visit(PAIR);
      const builds: string[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/evm/swap') builds.push(request.method());
      });
      await pay(page, '20000');
      await page.locator('#wallet').fill(`0x${'12'.repeat(20)}`);
      await until('a quote', async () => (await receive(page).getAttribute('data-out')) !== null);
      await page.getByRole('button', { name: 'Build transactions' }).click();
      await page.getByRole('alert').getByText('This swap moves the price by').waitFor();
      expect(builds).toEqual([]);
      await page.getByRole('button', { name: 'Build it all the same' }).click();
      await until('it is built', async () => builds.length > 0);
      await pay(page, '0.01');
      await page.getByRole('button', { name: 'Build transactions' }).waitFor();
    },
    LIMIT_MS,
  );

  test(
    'is filled in by keyboard alone, and says what is wrong',
    async () => {
      const watched = await visit('/swap');
      const { page } = watched;
      await page.getByRole('button', { name: /to receive$/ }).focus();
      await page.keyboard.press('Enter');
      await page.locator('dialog.coin-dialog input:focus').waitFor();
      await page.keyboard.type('dai');
      await page.keyboard.press('Enter');
      await page.locator('dialog.coin-dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^DAI/ }).waitFor();
      await page.waitForURL(/#\/swap\/eth\/native\/0x6b175474e89094c44da98b954eedeac495271d0f$/);

      await page.getByLabel('You pay').focus();
      await page.keyboard.type('1.2.3');
      await page.getByText('digits, with a point').first().waitFor();
      expect(await page.getByLabel('You pay').getAttribute('aria-invalid')).toBe('true');
      await pay(page, '2');
      await until('a quote', async () => (await receive(page).getAttribute('data-out')) !== null);
      await page.keyboard.press('Enter');
      await page.locator('#wallet-trouble').waitFor();
      await page.locator('#wallet:focus').waitFor();
      expect(await page.locator('[data-build]').count()).toBe(0);

      await page.getByRole('button', { name: 'Swap the other way round' }).click();
      await page.waitForURL(/\/0x6b17[0-9a-f]+\/native$/);
      await page.getByRole('link', { name: 'Status' }).click();
      await page.getByRole('heading', { name: 'Status' }).waitFor();
      const home = page.getByRole('link', { name: 'Swap', exact: true });
      expect(await home.getAttribute('href')).toMatch(/#\/swap\/eth\/0x6b17[0-9a-f]+\/native$/);
      await home.click();
      await page.getByRole('button', { name: /^DAI/ }).waitFor();
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'signs with a demo wallet whose key leaves the tab for nobody; the swap lands, in the trades and in the receipts',
    async () => {
      const watched = await visit(PAIR);
      const { page } = watched;
      const sent: string[] = [];
      page.on('request', (request: Request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
      await pay(page, '1.5');
      await useDemoWallet(page);
      const landed = await land(page);
      const tx = (await page.locator('.transaction').last().getAttribute('data-hash'))!;

      const key = (await page.evaluate('sessionStorage.getItem("tidepool.demo-wallet")')) as string;
      expect(key).toMatch(/^0x[0-9a-f]{64}$/);
      expect(sent.join('\n')).not.toContain(key.slice(2));
      const raw = sent.filter((text) => text.includes('eth_sendRawTransaction'));
      expect(raw.every((text) => text.startsWith(`${node}/ `))).toBe(true);
      // What arrived, by the page's own count, is what the balances say.
      const balance = await page.locator('.balances tbody tr').last().locator('td').allTextContents();
      expect(balance[0]).toBe('0');
      expect(landed.received).toBeGreaterThan(0n);

      const receipt = async () =>
        (await world.asked<EvmReceiptsAnswer>('/evm/receipts?state=executed')).data.find(
          ({ executed }) => executed!.tx === tx,
        );
      await until('the receipt is executed', async () => (await receipt()) !== undefined);
      const { id, executed } = (await receipt())!;
      expect(executed!.outAmount).toBe(landed.received.toString());
      await until('the trade is served', async () => {
        const { data } = await world.market.get<TradesAnswer>(`/tokens/eth/${USDC}/trades?limit=200`);
        return data.some(({ signature }) => signature === tx);
      });

      await page.getByRole('link', { name: 'receipts', exact: true }).click();
      await page.locator(`tr[data-receipt="${id}"][data-state=executed]`).waitFor();
      await page.locator(`.receipt-dot[data-point="${id}"]`).waitFor();
      await page.goto(`${world.line.url}/#/token/eth/${USDC}`);
      await page.locator(`tr[data-trade^="${tx}"]`).first().waitFor({ timeout: PATIENCE_MS });
      clean(watched);

      await page.getByRole('link', { name: 'Swap', exact: true }).last().click();
      await page.locator('[data-demo-wallet]').waitFor();
      await page.waitForURL((url) => url.href.includes(PAIR));
    },
    LIMIT_MS,
  );

  test(
    'stops before the signature where the wallet is somebody’s own',
    async () => {
      const watched = await visit(PAIR);
      const { page } = watched;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_accounts', params: [] });
      const accounts = await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const [own] = ((await accounts.json()) as { result: string[] }).result;
      await pay(page, '0.25');
      await page.getByLabel('Wallet that will sign').fill(own!);
      await until('a quote', async () => (await receive(page).getAttribute('data-out')) !== null);
      const built = page.waitForResponse((answer) => answer.url().endsWith('/evm/swap') && answer.status() === 200);
      await page.getByRole('button', { name: 'Build transactions' }).click();
      const answer = (await (await built).json()) as EvmSwapAnswer;
      await page.locator('[data-build=built]').waitFor();
      expect(answer.swapTransaction.from).toBe(own!.toLowerCase());
      await page.getByText('Sign these with your own wallet').waitFor();
      expect(await page.getByRole('button', { name: /^Sign with/ }).count()).toBe(0);
      await page.locator('.transaction summary').last().click();
      expect(await page.locator('.call-data').last().textContent()).toBe(answer.swapTransaction.data);

      // Another amount is another swap: the transactions are gone.
      await pay(page, '0.5');
      await page.locator('[data-build]').waitFor({ state: 'detached' });
      clean(watched);
    },
    LIMIT_MS,
  );

  test(
    'says what to change when the router refuses, and continues when it is back',
    async () => {
      const { page } = await visit(PAIR);
      // More than a pair can count.
      await pay(page, `1${'0'.repeat(20)}`);
      const problem = page.locator('.router-problem');
      await problem.and(page.locator('[data-code=low_liquidity]')).waitFor();
      await problem.getByRole('button', { name: /^Use / }).click();
      await until('a quote of the most', async () => (await receive(page).getAttribute('data-out')) !== null);

      await page.getByLabel('Wallet that will sign').fill(`0x${'12'.repeat(20)}`);
      await pay(page, '3');
      // Before the quote is there: it is built once it is.
      await page.getByLabel('You pay').press('Enter');
      await page.locator('[data-build=refused] [data-code=insufficient_funds]').waitFor();

      await page.getByRole('button', { name: 'Back to the quote' }).click();
      await page.route('**/evm/quote**', (route) => route.abort());
      await problem.and(page.locator('[data-code=network]')).waitFor();
      await page.unroute('**/evm/quote**');
      await problem.waitFor({ state: 'detached', timeout: PATIENCE_MS });
      await until('a quote', async () => (await receive(page).getAttribute('data-out')) !== null);
    },
    LIMIT_MS,
  );
});
