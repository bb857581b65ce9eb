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
