import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { YOUNG_SPACE } from './lib/as-started.js';
import type { FoldRunInput, FoldRunResult } from './lib/fold-run.js';
import { endWithUs, temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { printTable } from './lib/table.js';

/**
 * bench/fold: the fold over many pools, its state in lmdb, against the same traffic over few in the same run: rate, anonymous
 * memory, longest turn of the event loop, and the time from the start of a process after a kill until it has folded a block.
 *
 * Run: `node dist/bench/fold.js [--pools 1000000] [--small 100] [--created 500] [--blocks 2000] [--trades 200]`
 */
const values = benchOptions('fold', { pools: '1000000', small: '100', created: '500', blocks: '2000', trades: '200' });
const folder = temporaryFolder('tidepool-bench-fold-');
const script = fileURLToPath(new URL('./lib/fold-run.js', import.meta.url));

async function child(mode: FoldRunInput['mode'], dir: string, pools: number): Promise<FoldRunResult> {
  const size = { pools, created: Number(values.created), trades: Number(values.trades) };
  const input: FoldRunInput = { mode, dir, size, blocks: Number(values.blocks) };
  const env = { ...process.env, FOLD_RUN_STARTED: String(Date.now()), UV_THREADPOOL_SIZE: '16' };
  const args = [YOUNG_SPACE, script, JSON.stringify(input)];
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  endWithUs(run);
  const [output] = await Promise.all([text(run.stdout!), once(run, 'close')]);
  if (output === '') throw new Error(`${mode} over ${pools} pools gave no result`);
  return JSON.parse(output) as FoldRunResult;
}

const many = Number(values.pools);
const rows: string[][] = [];
let first = 0;
for (const pools of [Math.max(100, Math.floor(many / Number(values.small))), many]) {
  const dir = join(folder, String(pools));
  const run = await child('run', dir, pools);
  const { servingMs } = await child('restart', dir, pools);
  first ||= run.tradesPerCpuSecond;
  rows.push([
    pools.toLocaleString(),
    run.buildSeconds.toFixed(0),
    (statSync(join(dir, 'data.mdb')).size / 1e6).toFixed(0),
    Math.round(run.tradesPerCpuSecond).toLocaleString(),
    (run.tradesPerCpuSecond / first).toFixed(2),
    run.rssAnonMb.toFixed(0),
    run.longestTurnMs.toFixed(0),
    (servingMs / 1000).toFixed(1),
  ]);
}
printTable(
  [
    'pools',
    'built in s',
    'state MB',
    'trades/CPU s',
    'ratio',
    'RssAnon MB',
    'longest turn ms',
    'start to first block s',
  ],
  rows,
);
