import { until } from '#libs/devkit/testing/until.js';
import { PATIENCE_MS } from '../multi-process/program.js';
import { accessibilityProblems } from './axe.js';
import { DESKTOP, describeWithBrowser, PHONE } from './browser.js';
import { ConsoleWorld } from './console-world.js';

const LIMIT_MS = 3 * PATIENCE_MS;

interface Refusal {
  status: number;
  headers: Record<string, string>;
  code: string;
  message: string;
  words: string;
}

describeWithBrowser('console: usage (long)', () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.open({ historyBlocks: 40, historySeconds: 1_800 });
  }, 2 * LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  test(
    'shows what the account did, as its own answer says, and follows it',
    async () => {
      for (let n = 0; n < 7; n++) await world.market.get('/screener?limit=1');
      const watched = await world.visit('/usage', DESKTOP);
      const { page } = watched;
      const row = page.locator('[data-route=getScreener] td');
      const counts = async () => (await row.allTextContents()).map((text) => Number(text.replace(/\D/g, '')));
      await until('the requests of the spec', async () => ((await counts())[0] ?? 0) >= 7);
      const [requests, credits] = (await counts()) as [number, number];
      expect(credits).toBe(2 * requests);
      await page.getByText('Enterprise').waitFor();
      for (const count of ['requests', 'credits', 'refused']) {
        expect(await page.locator(`[data-count=${count}] .bars span`).count()).toBe(30);
      }
      // What it says a list costs is what one cost.
      expect(await page.locator('[data-price=list] td').textContent()).toBe('2');
      // Today's bar is the last one, and has a height.
      const last = page.locator('[data-count=requests] .bars span').last();
      expect((await last.boundingBox())!.height).toBeGreaterThan(0);
      await world.market.get('/screener?limit=2');
      await until('the next request', async () => (await counts())[0]! > requests);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.content()).not.toContain(world.key);
      expect(watched.errors).toEqual([]);
      if (process.env.TIDEPOOL_KEEP_SCREENSHOT !== undefined) {
        await page.screenshot({ path: process.env.TIDEPOOL_KEEP_SCREENSHOT });
      }
    },
    LIMIT_MS,
  );

  test(
    'draws a bar for what each day had of requests, credits and refusals',
    async () => {
      const { page } = await world.blank(DESKTOP);
      const days = [0, 1, 2, 3].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
      const rows = [
        { day: days[2], key: 'k', route: 'getScreener', requests: 40, credits: 80, refused: 1 },
        { day: days[1], key: 'k', route: 'getScreener', requests: 10, credits: 80, refused: 4 },
      ];
      await page.route('**/account/usage*', async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = (await response.json()) as { data: object };
        await route.fulfill({ response, json: { ...rest, data: { ...data, usage: rows } } });
      });
      await page.goto(`${world.line.url}/#key=${world.key}&go=/usage`);
      await page.getByText('Last 30 days').waitFor();
      const shares: Record<string, number[]> = {};
      for (const count of ['requests', 'credits', 'refused']) {
        const heights: number[] = [];
        for (const ago of [3, 2, 1]) {
          const bar = page.locator(`[data-count=${count}] .bars span[title^="${days[ago]}"]`);
          heights.push((await bar.boundingBox())?.height ?? 0);
        }
        const most = Math.max(...heights);
        expect(most).toBeGreaterThan(20);
        // In hundredths of the highest bar.
        shares[count] = heights.map((height) => Math.round((100 * height) / most));
      }
      expect(shares).toEqual({ requests: [0, 100, 25], credits: [0, 100, 100], refused: [0, 25, 100] });
    },
    LIMIT_MS,
  );

  test(
    'says that an account has no credits, or asks too much, and keeps its key',
    async () => {
      const refusals: Refusal[] = [
        {
          status: 429,
          headers: { 'retry-after': '1' },
          code: 'rate_limited',
          message: 'slower',
          words: 'More requests than',
        },
        {
          status: 401,
          headers: {},
          code: 'unauthorized',
          message: 'this account has no credits left for this request',
          words: 'no credits left',
        },
      ];
      for (const { status, headers, code, message, words } of refusals) {
        const { page } = await world.blank(PHONE);
        const refuse = {
          status,
          headers,
          contentType: 'application/json',
          body: JSON.stringify({ error: { code, message } }),
        };
        await page.route('**/account/usage*', (route) => route.fulfill(refuse));
        await page.goto(`${world.line.url}/#key=${world.key}&go=/usage`);
        await page.getByText(words).first().waitFor();
        expect(await page.getByLabel('API key').count()).toBe(0);
        expect(await accessibilityProblems(page)).toEqual([]);
        await page.unroute('**/account/usage*');
        await page.getByText('Last 30 days').waitFor();
        // Nothing is wider than a phone.
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
        if (process.env.TIDEPOOL_KEEP_SCREENSHOT !== undefined) {
          await page.screenshot({ path: `${process.env.TIDEPOOL_KEEP_SCREENSHOT}.phone.png` });
        }
      }
    },
    LIMIT_MS,
  );
});
