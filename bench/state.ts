import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { YOUNG_SPACE } from './lib/as-started.js';
import { memoryLimit } from './lib/memory-limit.js';
import { endWithUs, stopWithUs, temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import type { MarketSize } from './lib/state-market.js';
import type { StateRunInput, StateRunResult } from './lib/state-run.js';
import { printTable } from './lib/table.js';

/**
 * bench/state: keyed state in lmdb whose store is larger than the page cache it is given, against the same traffic on a small
 * state in the same run: rate, anonymous memory, longest turn of the event loop, and the time from the start of a process
 * after a kill until it has folded to the end again.
 *
 * Run: `node dist/bench/state.js [--pools 500000] …`; the full size is `--pools 5000000 --tokens 5000000
 * --balances 50000000 --memory-mb 4608 --blocks 10000`. `--goals` names those that decide the exit code.
 */
const values = benchOptions('state', {
  pools: '500000',
  tokens: '500000',
  balances: '5000000',
  small: '100',
  blocks: '1200',
  trades: '200',
  'cache-entries': '250000',
  'memory-mb': '900',
  codec: 'yes',
  warm: 'yes',
  rounds: '1',
  stores: '',
  goals: 'memory,rate,turns,restart',
});
const GOALS = { rssAnonMb: 3 * 1024, ratio: 0.7, turnMs: 50, servingMs: 10_000 };

const size: MarketSize = {
  pools: Number(values.pools),
  tokens: Number(values.tokens),
  balances: Number(values.balances),
};
const divided = (count: number): number => Math.max(100, Math.floor(count / Number(values.small)));
const small: MarketSize = {
  pools: divided(size.pools),
  tokens: divided(size.tokens),
  balances: divided(size.balances),
};

const folder = temporaryFolder('tidepool-bench-state-');
const limit = memoryLimit(Number(values['memory-mb']) * 1024 * 1024);
const removeLimit = stopWithUs(async () => limit?.remove());
const script = fileURLToPath(new URL('./lib/state-run.js', import.meta.url));

async function child(mode: StateRunInput['mode'], dir: string, market: MarketSize): Promise<StateRunResult> {
  const input: StateRunInput = {
    ...{ mode, dir, size: market, blocks: Number(values.blocks), trades: Number(values.trades) },
    cacheEntries: Number(values['cache-entries']),
    codec: values.codec === 'yes',
    warm: values.warm === 'yes',
  };
  const output = await command([process.execPath, YOUNG_SPACE, script, JSON.stringify(input)]);
  if (output === '') throw new Error(`${mode} of ${dir} gave no result`);
  return JSON.parse(output) as StateRunResult;
}

/** Runs it within the limit, and answers what it wrote. */
async function command(words: readonly string[]): Promise<string> {
  const [program, ...rest] = [...(limit?.wrap ?? []), ...words];
  const env = { ...process.env, STATE_RUN_STARTED: String(Date.now()), UV_THREADPOOL_SIZE: '16' };
  const running = spawn(program!, rest, { stdio: ['ignore', 'pipe', 'inherit'], env });
  endWithUs(running);
  const [output] = await Promise.all([text(running.stdout!), once(running, 'close')]);
  return output;
}

/** Puts a filled store at `dir`. A copy is made within the limit: its pages are dropped like those of a load. */
async function filled(dir: string, market: MarketSize): Promise<void> {
  if (values.stores === '') {
    mkdirSync(dir);
    await child('load', dir, market);
    return;
  }
  const kept = join(values.stores, `${market.pools}-${market.tokens}-${market.balances}`);
  if (!existsSync(kept)) {
    // A load that was cut off has another name.
    rmSync(`${kept}.part`, { recursive: true, force: true });
    mkdirSync(`${kept}.part`, { recursive: true });
    await child('load', `${kept}.part`, market);
    renameSync(`${kept}.part`, kept);
  }
  await command(['cp', '-r', kept, dir]);
}

const number = (value: number): string => Math.round(value).toLocaleString();
const rows: string[][] = [];
const worst = { rssAnonMb: 0, ratio: Number.POSITIVE_INFINITY, turnMs: 0, servingMs: 0 };
for (let round = 1; round <= Number(values.rounds); round++) {
  const rates: number[] = [];
  for (const [name, market] of [
    ['small', small],
    ['large', size],
  ] as const) {
    const dir = join(folder, `${name}-${round}`);
    await filled(dir, market);
    const loaded = statSync(join(dir, 'data.mdb')).size;
    limit?.dropPageCache();
    const run = await child('run', dir, market);
    const cache = limit?.pageCache() ?? Number.NaN;
    limit?.dropPageCache();
    const restart = await child('restart', dir, market);
    const rate = run.keys / run.seconds;
    rates.push(rate);
    rows.push([
      `${name} ${round}`,
      number(market.pools + market.tokens + market.balances),
      number(loaded / 1e6),
      number(cache / 1e6),
      number(rate),
      (rate / rates[0]!).toFixed(2),
      number(run.keys / run.cpuSeconds),
      number(run.rssAnonMb),
      run.longestTurnMs.toFixed(0),
      String(run.commits),
      run.waitedSeconds.toFixed(1),
      (restart.servingMs / 1000).toFixed(1),
      String(restart.refolded),
    ]);
    if (name === 'small') continue;
    worst.rssAnonMb = Math.max(worst.rssAnonMb, run.rssAnonMb);
    worst.ratio = Math.min(worst.ratio, rate / rates[0]!);
    worst.turnMs = Math.max(worst.turnMs, run.longestTurnMs);
    worst.servingMs = Math.max(worst.servingMs, restart.servingMs);
  }
}
await removeLimit();

printTable(
  [
    ...['state', 'keys', 'store MB', 'page cache MB', 'keys/s', 'ratio', 'keys/CPU s', 'RssAnon MB', 'longest turn ms'],
    ...['commits', 'waited s', 'serving s', 'blocks folded again'],
  ],
  rows,
);
if (limit === null) console.log('No control group could be made: the page cache was not limited.');
const isMissed: Record<string, boolean> = {
  memory: worst.rssAnonMb > GOALS.rssAnonMb,
  rate: worst.ratio < GOALS.ratio,
  turns: worst.turnMs > GOALS.turnMs,
  restart: worst.servingMs > GOALS.servingMs,
};
const missed = values.goals.split(',').filter((goal) => isMissed[goal] ?? true);
console.log(missed.length === 0 ? `Goals met: ${values.goals}.` : `Goals missed: ${missed.join(', ')}.`);
process.exitCode = missed.length === 0 ? 0 : 1;
