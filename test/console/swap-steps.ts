import type { Page } from 'playwright-core';
import { until } from '#libs/devkit/testing/until.js';
import { PATIENCE_MS } from '../multi-process/program.js';

/** The steps of a swap that several specs share, done as a user does them. */
export async function useDemoWallet(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Use a demo wallet' }).click();
  const wallet = page.locator('[data-demo-wallet]');
  await wallet.waitFor({ timeout: PATIENCE_MS });
  return (await wallet.getAttribute('data-demo-wallet'))!;
}

/** Builds what the form says, until the router has built it: the wallet's coins may be a block ahead of it. */
export async function build(page: Page): Promise<void> {
  const card = page.locator('[data-build=built], [data-build=refused]');
  await until('the transactions are built', async () => {
    const quote = page.locator('#receive[data-out]');
    await quote.waitFor({ timeout: PATIENCE_MS });
    await page.getByRole('button', { name: 'Build transactions' }).click();
    await card.waitFor({ timeout: PATIENCE_MS });
    if ((await card.getAttribute('data-build')) === 'built') return true;
    await card.getByRole('button').click();
    return false;
  });
}

export interface Landed {
  block: number;
  received: bigint;
}

/** Builds, signs and waits for the block; again where a reorg took it away, as the page itself says to do. */
export async function land(page: Page): Promise<Landed> {
  let landed: Landed | null = null;
  await until('the swap lands', async () => {
    await build(page);
    await page.getByRole('button', { name: 'Sign with the demo wallet' }).click();
    const outcome = page.locator('.outcome');
    await outcome.or(page.locator('.build-card .trouble')).first().waitFor({ timeout: PATIENCE_MS });
    if ((await outcome.count()) === 0) {
      await page.getByRole('button', { name: 'Swap again' }).click();
      return false;
    }
    const [block, received] = [await outcome.getAttribute('data-landed'), await outcome.getAttribute('data-received')];
    landed = { block: Number(block), received: BigInt(received!) };
    return true;
  });
  return landed!;
}
