import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Headless Chromium as Debian packages it; `TIDEPOOL_CHROMIUM` names another one. Nothing is downloaded. */
const PLACES = [
  process.env.TIDEPOOL_CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const chromiumPath = (): string | null => PLACES.find((path) => path !== '' && existsSync(path)) ?? null;

/** `scale`: of the screen itself, so that canvases are as sharp as on a real one. */
export function openBrowser(scale = 1): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error('no Chromium was found: apt-get install chromium');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--force-device-scale-factor=${scale}`],
  });
}
