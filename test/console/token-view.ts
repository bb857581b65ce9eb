import type { Locator, Page } from 'playwright-core';

/** Where a token's page and the list show what the console specs read. */
export const rows = (page: Page): Locator => page.locator('tr[data-token]');
export const chart = (page: Page): Locator => page.locator('.chart');
export const attribute = async (of: Locator, name: string): Promise<string> => (await of.getAttribute(name)) ?? '';

/** Ids of the trades on the tape, newest first, without those whose block is gone. */
export const tape = (page: Page): Promise<(string | null)[]> =>
  page
    .locator('tr[data-trade]:not(.taken-back)')
    .evaluateAll((lines) => lines.map((of) => of.getAttribute('data-trade')));

/** What a page showed after each change of the trades on its tape. */
export interface Shown {
  readonly trades: string;
  /** Newest candle, and how many candles of a replaced block are outlined. */
  readonly candle: string;
  readonly replaced: number;
  /** Block time of the figures. */
  readonly at: string;
  readonly takenBack: number;
}

/** Begins to note what the page shows whenever its trades change. */
export const watchTogether = (page: Page): Promise<void> =>
  page.evaluate(`(() => {
    const read = () => {
      const chart = document.querySelector('.chart');
      const alive = [...document.querySelectorAll('tr[data-trade]:not(.taken-back)')];
      return {
        trades: alive.map((row) => row.dataset.trade).join(' '),
        candle: [chart.dataset.lastTime, chart.dataset.lastClose, chart.dataset.lastTrades].join(' '),
        replaced: Number(chart.dataset.replaced),
        at: document.querySelector('.token-page').dataset.at,
        takenBack: document.querySelectorAll('tr.taken-back').length,
      };
    };
    const shown = [read()];
    window.shownTogether = shown;
    new MutationObserver(() => {
      const now = read();
      if (now.trades !== shown.at(-1).trades) shown.push(now);
      else if (shown.length === 1) shown[0] = now;
    }).observe(document.querySelector('.token-page'), { subtree: true, childList: true, attributes: true });
  })()`);

export const shownTogether = (page: Page): Promise<Shown[]> => page.evaluate('window.shownTogether');
