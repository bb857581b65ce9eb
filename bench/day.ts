import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allLive, chainStatus } from './lib/all-live.js';
import { startProgram } from './lib/live-program.js';
import { temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { folderUse, processTree } from './lib/process-tree.js';
import { printTable } from './lib/table.js';

/**
 * bench/day: the program of `npm start` left alone for a compressed day. Its local chains begin a day ago and make the
 * blocks of that day, with that day's times, as fast as `--pace` says; memory and disk of all processes over that time, and
 * how much they grew in its last quarter.
 *
 * Run: `node dist/bench/day.js [--share 1] [--pace 24] [--every 10] [--chains eth,bsc,base,chaind,sol]`
 */
const values = benchOptions('day', { share: '1', pace: '24', every: '10', chains: 'eth,bsc,base,chaind,sol' });

const PROGRAM = join(import.meta.dirname, '../apps/all-in-one/src/main.js');
const DAY_SECONDS = 86_400;
/** Rows of the printed table. */
const ROWS = 24;
/** Share of the time over which a figure is averaged: memory goes up and down by some per cent within minutes. */
const WINDOW = 0.05;
const GOALS = { pss: 2.5e9, disk: 2e9, growth: 0.02 };

interface Sample {
  /** Of the wanted time. */
  done: number;
  blocks: number;
  pss: Map<string, number>;
  disk: number;
  files: number;
}

const slugs = values.chains.split(',');
const seconds = DAY_SECONDS * Number(values.share);
const dataDir = temporaryFolder('tidepool-bench-day-');
const started = performance.now();
const env = { TIDEPOOL_CHAINS: values.chains, TIDEPOOL_LOCAL_PACE: values.pace };
const program = await startProgram({ script: PROGRAM, dataDir, env });
const samples: Sample[] = [];
try {
  const begin = new Map((await allLive(program, slugs)).map(({ chain, head }) => [chain, head!]));
  const liveAt = performance.now();
  for (;;) {
    const chains = (await chainStatus(program))?.filter(({ chain }) => begin.has(chain)) ?? [];
    if (chains.length === slugs.length) {
      const passed = chains.map(({ chain, head }) => (head === null ? 0 : head.time - begin.get(chain)!.time));
      const blocks = chains.reduce((sum, { chain, head }) => sum + (head?.block ?? 0) - begin.get(chain)!.block, 0);
      const sample = { done: Math.min(...passed) / 1000 / seconds, blocks, ...uses() };
      samples.push(sample);
      if (samples.length % 12 === 0)
        console.error(`${(sample.done * 100).toFixed(0)} %, ${blocks} blocks, ${(total(sample) / 1e6).toFixed(0)} MB`);
      if (Math.min(...passed) / 1000 >= seconds) break;
    }
    await delay(Number(values.every) * 1000);
  }
  report((performance.now() - liveAt) / 1000);
} finally {
  await program.stop();
}

function uses(): Pick<Sample, 'pss' | 'disk' | 'files'> {
  const pss = new Map<string, number>();
  for (const { pid, name, pssBytes } of processTree(program.pid)) {
    const label = pid === program.pid ? 'program' : name;
    pss.set(label, (pss.get(label) ?? 0) + pssBytes);
  }
  const { bytes, files } = folderUse(dataDir);
  return { pss, disk: bytes, files };
}

function report(took: number): void {
  const mega = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const shown = Array.from({ length: ROWS + 1 }, (_, row) => nearest(row / ROWS));
  printTable(
    ['hours', 'blocks', 'PSS, MB', 'of it', 'disk, MB', 'files'],
    [...new Set(shown)].map((sample) => [
      ((sample.done * seconds) / 3600).toFixed(2),
      String(sample.blocks),
      mega(total(sample)),
      [...sample.pss].map(([name, bytes]) => `${name} ${mega(bytes)}`).join(', '),
      mega(sample.disk),
      String(sample.files),
    ]),
  );
  const [before, after] = [average(0.75), average(1)];
  const growth = (name: 'pss' | 'disk'): string => `${((after[name] / before[name] - 1) * 100).toFixed(1)} %`;
  const most = { pss: Math.max(...samples.map(total)), disk: Math.max(...samples.map(({ disk }) => disk)) };
  console.log(`
${((seconds / 3600) * samples.at(-1)!.done).toFixed(2)} hours of the chains in ${took.toFixed(0)} s, ${((performance.now() - started) / 1000 - took).toFixed(0)} s until all were live
most PSS ${mega(most.pss)} MB (goal ${mega(GOALS.pss)}), grew by ${growth('pss')} in the last quarter (goal ${GOALS.growth * 100} %)
most disk ${mega(most.disk)} MB (goal ${mega(GOALS.disk)}), grew by ${growth('disk')} in the last quarter`);
}

function total({ pss }: Sample): number {
  return [...pss.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function nearest(done: number): Sample {
  return samples.reduce((best, sample) => (Math.abs(sample.done - done) < Math.abs(best.done - done) ? sample : best));
}

/** Over the window that ends there. */
function average(end: number): { pss: number; disk: number } {
  const inside = samples.filter(({ done }) => done > end - WINDOW && done <= Math.max(end, samples.at(-1)!.done * end));
  const used = inside.length > 0 ? inside : [nearest(end)];
  const mean = (of: (sample: Sample) => number): number => used.reduce((sum, one) => sum + of(one), 0) / used.length;
  return { pss: mean(total), disk: mean(({ disk }) => disk) };
}
