import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openBrowser } from './lib/chromium.js';
import { LAUNCHER, startProgram } from './lib/live-program.js';
import { temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { printTable } from './lib/table.js';

/**
 * bench/first-candle: from the start of the process behind `npm start` until the console has drawn its first candle, in
 * a real browser. Each round begins with an empty folder (the local chain and its history are made) and then starts
 * again on what is there. The browser runs before; the page is opened as soon as the program listens.
 *
 * Run: `node dist/bench/first-candle.js [--rounds 2]`
 */
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const PATIENCE_MS = 180_000;

interface Measured {
  listeningMs: number;
  candleMs: number;
  /** From opening the page once more, on the running program, to its first candle. */
  againMs: number;
}

const values = benchOptions('first-candle', { rounds: '2' });

const root = temporaryFolder('tidepool-bench-first-candle-');
const browser = await openBrowser();
try {
  const rows: string[][] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    const dataDir = join(root, String(round));
    rows.push(row(`round ${round}, empty folder`, await measure(browser, dataDir)));
    rows.push(row(`round ${round}, started again`, await measure(browser, dataDir)));
  }
  printTable(['seconds', 'listening', 'first candle', 'page opened again'], rows);
} finally {
  await browser.close();
}

async function measure(on: Browser, dataDir: string): Promise<Measured> {
  const program = await startProgram({ script: LAUNCHER, dataDir });
  try {
    const link = `${program.api}/#key=${program.key}&go=/token/eth/${WETH}`;
    await drawn(on, link);
    const candleMs = performance.now() - program.startedAt;
    const opened = performance.now();
    await drawn(on, link);
    return { listeningMs: program.listeningMs, candleMs, againMs: performance.now() - opened };
  } finally {
    await program.stop();
  }
}

/** Opens the page in a fresh profile and waits for a frame that was painted with a candle in the chart. */
async function drawn(on: Browser, link: string): Promise<void> {
  const context = await on.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(link);
    const candles = page.locator('.chart[data-candles]:not([data-candles="0"])');
    await candles.waitFor({ timeout: PATIENCE_MS });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  } finally {
    await context.close();
  }
}

function row(name: string, { listeningMs, candleMs, againMs }: Measured): string[] {
  return [name, ...[listeningMs, candleMs, againMs].map((ms) => (ms / 1000).toFixed(2))];
}
