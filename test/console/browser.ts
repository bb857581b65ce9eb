import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { describeUnlessMissing } from '#libs/devkit/testing/requirements.js';
import { chromiumPath } from '../../bench/lib/chromium.js';
import { PATIENCE_MS } from '../multi-process/program.js';

/** `describe` for suites that look through a browser. */
export function describeWithBrowser(name: string, body: () => void): void {
  describeUnlessMissing(chromiumPath() === null ? 'no Chromium (apt-get install chromium)' : null, name, body);
}

/** The window in which the page is shown. */
export interface Viewer {
  width: number;
  height: number;
  scheme?: 'dark' | 'light';
  scale?: number;
}

export const DESKTOP: Viewer = { width: 1440, height: 900 };
export const PHONE: Viewer = { width: 390, height: 844 };

/**
 * The market moves while a build is asked for, or a reorg takes back what the wallet was given: the router then refuses with
 * 409 or 422, the page says why, and the browser notes every such status.
 */
const isRefusedBuild = (message: ConsoleMessage): boolean =>
  /status of (409|422)/.test(message.text()) && /\/(swap|launch\/[a-z0-9-]+)$/.test(message.location().url);

/** Closes a browser. What a spec routes for a page, and is just being answered, fails no test by that. */
export async function closeBrowser(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  for (const page of pages) await page.unrouteAll({ behavior: 'ignoreErrors' });
  await browser.close();
}

/** A page that remembers everything that should not have happened on it. */
export class WatchedPage {
  /** Errors of the browser's console and of scripts. */
  readonly errors: string[] = [];
  /** Requests to anything but the service. */
  readonly strays: string[] = [];
  /** Other hosts that the page may ask, such as the router's. */
  readonly allowed = new Set<string>();

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
  ) {}

  static async open(browser: Browser, origin: string, viewer: Viewer): Promise<WatchedPage> {
    const { width, height, scheme = 'dark', scale = 1 } = viewer;
    const context = await browser.newContext({
      ...{
        viewport: { width, height },
        colorScheme: scheme,
        deviceScaleFactor: scale,
        locale: 'en-GB',
        timezoneId: 'UTC',
      },
    });
    // What never comes ends with the test; a busy machine has its time.
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const watched = new WatchedPage(page, context);
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      if (!isRefusedBuild(message)) watched.errors.push(message.text());
    });
    page.on('pageerror', (error) => watched.errors.push(String(error.stack ?? error)));
    const own = new URL(origin).host;
    const check = (url: string): void => {
      const { host } = new URL(url);
      if (host !== own && !watched.allowed.has(host)) watched.strays.push(url);
    };
    page.on('request', (request) => check(request.url()));
    page.on('websocket', (socket) => check(socket.url()));
    return watched;
  }

  /** Width of the page's content and of the window. */
  async widths(): Promise<{ content: number; window: number }> {
    const widths = await this.page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
    const [content, window] = widths as [number, number];
    return { content, window };
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
