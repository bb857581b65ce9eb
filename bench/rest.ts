import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

const PROGRAM = join(import.meta.dirname, '../apps/all-in-one.js');
const PATIENCE_MS = 600_000;

interface Status {
  data: { chains: { chain: string; state: string }[] };
}

const dataDir = temporaryFolder('tidepool-bench-rest-');
const program = await startProgram({ script: PROGRAM, dataDir, env: { TIDEPOOL_CHAINS: values.chains } });
try {
  await allLive();
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
  console.log(`\ndata folder: ${(bytes / 1e6).toFixed(0)} MB in ${files} files`);
} finally {
  await program.stop();
}

async function allLive(): Promise<void> {
  const wanted = values.chains.split(',');
  for (const end = performance.now() + PATIENCE_MS; ; await delay(500)) {
    const response = await fetch(`${program.api}/status`, { headers: { 'x-api-key': program.key } });
    if (response.ok) {
      const { chains } = ((await response.json()) as Status).data;
      if (wanted.every((slug) => chains.some(({ chain, state }) => chain === slug && state === 'live'))) return;
    }
    if (performance.now() > end) throw new Error(`not every chain came to its head in ${PATIENCE_MS / 1000} s`);
  }
}

function row(name: string, then: ProcessUse, now: ProcessUse, seconds: number): string[] {
  return [
    name,
    ((now.cpuSeconds - then.cpuSeconds) / seconds).toFixed(3),
    ((now.writtenBytes - then.writtenBytes) / seconds / 1e6).toFixed(2),
    (now.pssBytes / 1e6).toFixed(0),
  ];
}
