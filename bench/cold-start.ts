import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ColdStart, coldStart, readsBelow, sourceReach } from './lib/cold-start-run.js';
import { buildLongLog } from './lib/long-log.js';
import { benchOptions } from './lib/options.js';
import { printTable } from './lib/table.js';

/**
 * bench/cold-start: how long a start takes on a long log, from the start of the process until the fold has compared up
 * to its end and a reader has answered, and how many records below the committed state were read (invariant 7: none).
 * The long log goes through the real codecs, fold, state and sink; each start is a process of its own.
 *
 * Run: `UV_THREADPOOL_SIZE=16 node dist/bench/cold-start.js [--groups 200000] [--events 30] [--tokens 2000] [--starts 3]`
 */
interface Measured extends Omit<ColdStart, 'reads'> {
  /** Records that the fold read. */
  folded: number;
  below: number;
  sourceReach: number;
}

const values = benchOptions('cold-start', {
  groups: '200000',
  events: '30',
  tokens: '2000',
  starts: '3',
  'start-on': '',
});

if (values['start-on'] !== '') await measureHere(values['start-on']);
else await compare();

/** The child: prints what it measured as one JSON line. Its clock starts with the process. */
async function measureHere(dir: string): Promise<void> {
  const start = await coldStart(dir, () => performance.now());
  const { reads, ...result } = start;
  const folded = reads.project.length;
  const measured: Measured = { ...result, folded, below: readsBelow(start).length, sourceReach: sourceReach(start) };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}

async function compare(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-bench-cold-start-'));
  process.once('SIGINT', () => {
    rmSync(dir, { recursive: true, force: true });
    process.exit(130);
  });
  try {
    const [groups, eventsPerBlock, tokens] = [Number(values.groups), Number(values.events), Number(values.tokens)];
    let said = 0;
    const onProgress = (what: string, done: number, total: number): void => {
      if (Date.now() - said < 5_000) return;
      said = Date.now();
      process.stderr.write(`${what}: ${done.toLocaleString()} of ${total.toLocaleString()}\n`);
    };
    const built = await buildLongLog({ dir, groups, tokens, eventsPerBlock, onProgress });
    const mb = (folder: string): string => (folderBytes(join(dir, folder)) / 1e6).toFixed(1);
    console.log(
      `log: ${(built.lastSeq + 1).toLocaleString()} groups, ${built.events.toLocaleString()} events, ${mb('log')} MB of blocks and facts; ` +
        `${built.rows.toLocaleString()} rows in ${mb('store')} MB of tables; ${mb('state')} MB of state\n`,
    );
    const rows: string[][] = [];
    let broken = 0;
    for (let round = 1; round <= Number(values.starts); round++) {
      const { wall, measured } = await startProcess(dir);
      const { at, stateSeq, lastSeq, below } = measured;
      if (below > 0 || measured.answeredTrades === 0) broken++;
      const seconds = (ms: number): string => (ms / 1000).toFixed(2);
      rows.push([
        `start ${round}`,
        ...[at.opened, at.source, at.project, at.sink, at.reader].map(seconds),
        seconds(Math.max(at.project, at.sink, at.reader)),
        seconds(wall),
        String(lastSeq - stateSeq),
        String(measured.folded),
        String(measured.sourceReach),
        String(below),
      ]);
    }
    printTable(
      [
        'seconds from process start',
        ...['log and tables open', 'source', 'fold', 'sink', 'reader answers', 'all', 'process ended'],
        ...['groups above state', 'read by the fold', 'groups back by the source', 'read below state'],
      ],
      rows,
    );
    if (broken > 0) throw new Error(`${broken} starts read records below the committed state or answered nothing`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function startProcess(dir: string): Promise<{ wall: number; measured: Measured }> {
  const started = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), '--start-on', dir]);
  return { wall: performance.now() - started, measured: JSON.parse(stdout) as Measured };
}

function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
}
