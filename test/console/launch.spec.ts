import type { Page } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import type { BoardAnswer } from '#libs/serve/contract/rest/launchpad-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { DESKTOP, describeWithBrowser, type WatchedPage } from './browser.js';
import { ConsoleWorld } from './console-world.js';

/** Launches in a real browser: a real program on its own local chain, whose blocks and reorgs come by themselves. */
const LIMIT_MS = 3 * PATIENCE_MS;
/** Each try waits for a block, and may have to wait for the next one. */
const ANOTHER_TOKEN = { patienceMs: 2 * PATIENCE_MS };

describeWithBrowser('launches in the console (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 60, demo: true });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const clean = ({ errors, strays }: WatchedPage): void =>
    expect({ errors, strays }).toEqual({ errors: [], strays: [] });

  async function receiptOf(hash: string): Promise<object | null> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(world.node!, { method: 'POST', headers, body });
    return ((await answer.json()) as { result: object | null }).result;
  }

  /** The outcome of each try, for the message of a failure. */
  const tried: string[] = [];

  interface Landed {
    readonly address: string;
    readonly hash: string;
  }

  async function useDemoWallet(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Use a demo wallet' }).click();
    await until('the wallet is in the form', async () =>
      /^0x[0-9a-f]{40}$/.test(await page.getByLabel('Wallet that will sign').inputValue()),
    );
  }

  /** Builds, signs and waits for the block; null where something has changed meanwhile, as the page then says. */
  async function landed(page: Page): Promise<Landed | null> {
    await page.getByRole('button', { name: 'Preview and cost' }).click();
    await page.locator('[data-launch=built], [data-launch=refused]').waitFor({ timeout: PATIENCE_MS });
    if ((await page.locator('[data-launch=built]').count()) === 0) {
      tried.push(`refused: ${await page.locator('[data-launch=refused]').textContent()}`);
      // A reorg may have taken back what the wallet was given: it is filled again.
      await page.getByLabel('Wallet that will sign').fill('');
      await useDemoWallet(page);
      return null;
    }
    const address = (await page.locator('[data-launched]').getAttribute('data-launched'))!;
    await page.getByRole('button', { name: 'Sign with the demo wallet' }).click();
    const outcome = page.locator('[data-landed]');
    await outcome.or(page.locator('.build-card .trouble')).first().waitFor({ timeout: PATIENCE_MS });
    if ((await outcome.count()) === 0) {
      tried.push(`not sent: ${await page.locator('.build-card .trouble').first().textContent()}`);
      return null;
    }
    return { address, hash: (await outcome.getAttribute('data-hash'))! };
  }

  /** Board, page and first trade of the token as the service has them. */
  async function served({ address, hash }: Landed): Promise<void> {
    const { data } = await world.market.get<BoardAnswer>('/launchpad/new?limit=50');
    const row = data.find((each) => each.address === address);
    expect(row).toMatchObject({ chain: 'eth', name: 'Spring Tide', symbol: 'SPRING' });
    expect(row!.launchpad).toMatchObject({ name: 'tidepool', graduated: false });
    const token = (await world.market.get<TokenAnswer>(`/tokens/eth/${address}`)).data;
    expect([token.creator, token.symbol]).toEqual([row!.creator, 'SPRING']);
    const trades = (await world.market.get<TradesAnswer>(`/tokens/eth/${address}/trades?limit=200`)).data;
    const first = trades.at(-1)!;
    expect([first.side, first.signature, first.pool]).toEqual(['buy', hash, row!.curve.pool]);
    expect(first.quoteAmount).toBe('0.1');
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
      await page.locator('#launch-name:focus').waitFor();
      expect(await page.locator('[data-launch]').count()).toBe(0);

      await page.locator('#launch-name').fill('Spring Tide');
      await page.locator('#launch-symbol').fill('SPRING');
      await page.getByLabel(/^First buy/).fill('0.1');
      await useDemoWallet(page);
      let made!: Landed;
      // A reorg may take its block away at any time, and the transaction with it: then another token is made.
      await until(
        'a token that stays',
        async () => {
          const found = await landed(page);
          if (found === null) return false;
          const isGone = async (): Promise<boolean> => (await receiptOf(found.hash)) === null;
          let problem = '';
          let gone = false;
          const isServed = async (): Promise<boolean> => {
            gone = await isGone();
            if (gone) return true;
            if ((await page.locator('[data-listed=true]').count()) === 0) return false;
            return served(found).then(
              () => true,
              (error: Error) => {
                problem = error.message;
                return false;
              },
            );
          };
          await until('it is served as it was made', isServed, { howFar: () => problem });
          made = found;
          tried.push(gone ? `gone: ${found.hash}` : 'stays');
          return !gone;
        },
        { ...ANOTHER_TOKEN, howFar: () => tried.slice(-10) },
      );
      await page.getByRole('link', { name: 'the token' }).click();
      await page.waitForURL(new RegExp(`#/token/eth/${made.address}$`));
      clean(watched);
    },
    LIMIT_MS,
  );
});
