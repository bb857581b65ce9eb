import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allLive } from './lib/all-live.js';
import { startProgram } from './lib/live-program.js';
import { temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { folderUse, type ProcessUse, processTree } from './lib/process-tree.js';
import { printTable } from './lib/table.js';

/**
 * bench/rest: what the program of `npm start` uses while nothing is asked of it: processor time, bytes written, memory and
 * disk, of the program and of its local chains.
 *
 * Run: `node dist/bench/rest.js [--seconds 120] [--settle 30] [--chains eth,bsc,base,chaind,sol]`
 */
const values = benchOptions('rest', { seconds: '120', settle: '30', chains: 'eth,bsc,base,chaind,sol' });

const PROGRAM = join(import.meta.dirname, '../apps/all-in-one/src/main.js');

const dataDir = temporaryFolder('tidepool-bench-rest-');
const program = await startProgram({ script: PROGRAM, dataDir, env: { TIDEPOOL_CHAINS: values.chains } });
try {
  await allLive(program, values.chains.split(','));
  await delay(Number(values.settle) * 1000);
  const before = processTree(program.pid);
  const started = performance.now();
  await delay(Number(values.seconds) * 1000);
  const seconds = (performance.now() - started) / 1000;
  const rows = processTree(program.pid).flatMap((now) => {
    const then = before.find(({ pid }) => pid === now.pid);
    return then === undefined ? [] : [row(now.pid === program.pid ? 'program' : now.name, then, now, seconds)];
  });
  printTable(['', 'cores', 'MB/s written', 'PSS, MB'], rows);
  const { bytes, files } = folderUse(dataDir);
  console.log(`\ngoals for the program: 0.15 cores, 1 MB/s`);
  console.log(`data folder: ${(bytes / 1e6).toFixed(0)} MB in ${files} files`);
} finally {
  await program.stop();
}

function row(name: string, then: ProcessUse, now: ProcessUse, seconds: number): string[] {
  return [
    name,
    ((now.cpuSeconds - then.cpuSeconds) / seconds).toFixed(3),
    ((now.writtenBytes - then.writtenBytes) / seconds / 1e6).toFixed(2),
    (now.pssBytes / 1e6).toFixed(0),
  ];
}
