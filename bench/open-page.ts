import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { openBrowser } from './lib/chromium.js';
import { LAUNCHER, startProgram } from './lib/live-program.js';
import { temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { printTable } from './lib/table.js';

/**
 * bench/open-page: the page of the token that trades most, or another one with a chart, left open in a real browser: memory of its script after a collection, its
 * nodes, and processor time of its process, from part to part.
 *
 * Run: `node dist/bench/open-page.js [--minutes 60] [--parts 12] [--pace 1] [--place /]`
 */
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const GOALS = { cores: 0.08, growth: 0.02 };
/** The first reads and the compiler are done by then. */
const SETTLE_MS = 60_000;
/** Of so many looks at the memory the lowest counts: what comes and goes is no growth. */
const LOOKS = 5;
const LOOK_MS = 2_000;

const values = benchOptions('open-page', { minutes: '60', parts: '12', pace: '1', place: `/token/eth/${WETH}` });
const parts = Number(values.parts);
const partMs = (Number(values.minutes) * 60_000) / parts;

interface ProcessInfo {
  type: string;
  cpuTime: number;
}

const program = await startProgram({
  ...{ script: LAUNCHER, dataDir: temporaryFolder('tidepool-bench-open-page-') },
  env: { TIDEPOOL_LOCAL_PACE: values.pace },
});
const browser = await openBrowser();
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${program.api}/#key=${program.key}&go=${values.place}`);
  await page.locator('.chart[data-candles]:not([data-candles="0"])').waitFor({ timeout: 180_000 });
  const [system, own] = [await browser.newBrowserCDPSession(), await page.context().newCDPSession(page)];
  await page.waitForTimeout(SETTLE_MS);
  const rows: string[][] = [];
  const heaps: number[] = [];
  let [spent, most] = [0, 0];
  for (let part = 1; part <= parts; part++) {
    const [before, from] = [await cpuSeconds(system), performance.now()];
    await page.waitForTimeout(partMs);
    const seconds = (await cpuSeconds(system)) - before;
    const cores = seconds / ((performance.now() - from) / 1000);
    spent += seconds;
    const { heapMb, nodes } = await lowestMemory(own);
    heaps.push(heapMb);
    most = Math.max(most, cores);
    rows.push([((part * partMs) / 60_000).toFixed(1), cores.toFixed(3), heapMb.toFixed(2), String(nodes)]);
  }
  printTable(['minute', 'cores', 'heap MB', 'nodes'], rows);
  const quarter = Math.max(1, Math.floor(parts / 4));
  const growth = Math.max(...heaps.slice(-quarter)) / Math.max(...heaps.slice(-2 * quarter, -quarter)) - 1;
  const mean = spent / (parts * (partMs / 1000));
  const isMet = mean <= GOALS.cores && growth <= GOALS.growth;
  const percent = (growth * 100).toFixed(1);
  console.log(
    `${mean.toFixed(3)} of a core, at most ${most.toFixed(3)}; heap of the last quarter ${percent} % above the one before`,
  );
  console.log(isMet ? 'Goals met.' : 'Goals missed.');
  process.exitCode = isMet ? 0 : 1;
} finally {
  await browser.close();
  await program.stop();
}

/** Of the processes that run pages; one page is open. */
async function cpuSeconds(session: CDPSession): Promise<number> {
  const { processInfo } = (await session.send('SystemInfo.getProcessInfo')) as { processInfo: ProcessInfo[] };
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function lowestMemory(session: CDPSession): Promise<{ heapMb: number; nodes: number }> {
  const looks = [await memoryOf(session)];
  while (looks.length < LOOKS) {
    await delay(LOOK_MS);
    looks.push(await memoryOf(session));
  }
  return {
    heapMb: Math.min(...looks.map(({ heapMb }) => heapMb)),
    nodes: Math.min(...looks.map(({ nodes }) => nodes)),
  };
}

async function memoryOf(session: CDPSession): Promise<{ heapMb: number; nodes: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  return { heapMb: usedSize / 1e6, nodes };
}
