import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { HISTORY_WAYS, type HistoryWay } from '#apps/ingest/src/source/evm/history.js';
import { YOUNG_SPACE } from './lib/as-started.js';
import { CpuWatch } from './lib/cpu-time.js';
import { LACKS_OF_WAY } from './lib/history-ways.js';
import { endWithUs } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { installPeers, type Peer, peers, runPeer } from './lib/peers.js';
import { type PostgresCluster, startPostgres } from './lib/postgres.js';
import { eventCount, mustEqual, type Recording, surveyRecording } from './lib/recording.js';
import { type ReplayProcess, startReplay } from './lib/replay-process.js';
import { printTable } from './lib/table.js';
import type { IndexedLine, IndexedRecording, TotalsLine } from './lib/tidepool-indexer.js';

/**
 * bench/indexing: the recorded chain, looped, served by a replay RPC in a process of its own, indexed from its first
 * block to its last by Tidepool (source, fold, sink into chDB) and by Subsquid and Ponder (into PostgreSQL), one after
 * the other on the same machine. Time runs from the first request that the RPC sees to the moment when the last block is
 * queryable; then the tables' counts and sums must equal those of the served logs, or the run fails.
 *
 * `--history` measures Tidepool once for each of these ways of reading a history, each before a node that the way is made for.
 *
 * Run: `node dist/bench/indexing.js [--loops 20] [--subsquid-loops 20] [--ponder-loops 5] [--only tidepool,ponder]
 * [--history ranges,receipts,addresses,transactions]`
 */
const DATA_THREADS = '16';

interface Result {
  name: string;
  loops: number;
  events: number;
  seconds: number;
  /** Of the indexer and its database, without the RPC. */
  cpuSeconds: number;
}

const values = benchOptions('indexing', {
  loops: '20',
  'subsquid-loops': '',
  'ponder-loops': '5',
  only: 'tidepool,subsquid,ponder',
  history: '',
});
const loops = Number(values.loops);
const loopsOf: Record<string, number> = {
  tidepool: loops,
  subsquid: Number(values['subsquid-loops'] || loops),
  ponder: Number(values['ponder-loops']),
};
const wanted = values.only.split(',');
const ways = values.history === '' ? [] : values.history.split(',').map(wayOf);

const results: Result[] = [];
if (wanted.includes('tidepool') && ways.length === 0) results.push(await measure('tidepool', tidepoolRunner()));
if (wanted.includes('tidepool')) {
  for (const way of ways) results.push(await measure('tidepool', tidepoolRunner(way), way));
}
const chosen = peers.filter(({ name }) => wanted.includes(name));
if (chosen.length > 0) {
  await installPeers();
  const postgres = await startPostgres();
  try {
    for (const peer of chosen) results.push(await measure(peer.name, peerRunner(peer, postgres)));
  } finally {
    await postgres.stop();
  }
}
report(results);

type Runner = (replay: ReplayProcess, recording: Recording, cpu: CpuWatch) => Promise<number>;

async function measure(indexer: string, run: Runner, way?: HistoryWay): Promise<Result> {
  const own = loopsOf[indexer]!;
  const name = way === undefined ? indexer : `${indexer}, ${way}`;
  const recording = surveyRecording(own);
  const replay = await startReplay(own, way === undefined ? [] : LACKS_OF_WAY[way]);
  const cpu = new CpuWatch();
  try {
    console.error(`${name}: ${own} loops, ${recording.logs.toLocaleString()} logs, ${recording.head + 1} blocks`);
    const finishedAt = await run(replay, recording, cpu);
    const seconds = (finishedAt - (await replay.firstRequestAt)) / 1000;
    console.error(`${name}: ${seconds.toFixed(1)} s, tables equal the recording`);
    return { name, loops: own, events: eventCount(recording), seconds, cpuSeconds: cpu.stop() };
  } finally {
    cpu.stop();
    await replay.stop();
  }
}

function peerRunner(peer: Peer, postgres: PostgresCluster): Runner {
  return (replay, recording, cpu) => runPeer(peer, { rpcUrl: replay.served.url, recording, postgres, cpu });
}

function wayOf(text: string): HistoryWay {
  const way = HISTORY_WAYS.find((known) => known === text);
  if (way === undefined) throw new Error(`--history: ${text} is none of ${HISTORY_WAYS.join(', ')}`);
  return way;
}

function tidepoolRunner(way?: HistoryWay): Runner {
  return (replay, recording, cpu) => runTidepool(replay, recording, cpu, way);
}

async function runTidepool(
  replay: ReplayProcess,
  recording: Recording,
  cpu: CpuWatch,
  way: HistoryWay | undefined,
): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-bench-indexing-'));
  try {
    const servedFile = join(dir, 'served.json');
    writeFileSync(servedFile, JSON.stringify({ ...replay.served, way } satisfies IndexedRecording));
    const script = fileURLToPath(new URL('./lib/tidepool-indexer.js', import.meta.url));
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=4096', YOUNG_SPACE, script, servedFile, join(dir, 'data')],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, UV_THREADPOOL_SIZE: DATA_THREADS },
      },
    );
    endWithUs(child);
    cpu.add(child.pid!);
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines.length === 0) cpu.stop();
      lines.push(line);
    }
    const code = await exited;
    if (code !== 0 || lines.length < 2) throw new Error(`the indexer ended with ${code}`);
    const { finishedAt } = JSON.parse(lines[0]!) as IndexedLine;
    const totals = JSON.parse(lines[1]!) as TotalsLine;
    const found = {
      swaps: Number(totals.swaps),
      swapVolume: BigInt(totals.swapVolume),
      transfers: Number(totals.transfers),
      transferVolume: BigInt(totals.transferVolume),
    };
    mustEqual('tidepool', found, recording.totals);
    return finishedAt;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function report(measured: readonly Result[]): void {
  const rate = ({ events, seconds }: Result) => events / seconds;
  const cpuRate = ({ events, cpuSeconds }: Result) => events / cpuSeconds;
  const ours = measured.find(({ name }) => name.startsWith('tidepool'));
  const ratio = (of: (result: Result) => number, result: Result) =>
    ours === undefined ? '' : (of(ours) / of(result)).toFixed(1);
  printTable(
    ['indexer', 'loops', 'events', 'seconds', 'events/s', 'ratio', 'CPU s', 'events/CPU s', 'ratio'],
    measured.map((result) => [
      result.name,
      String(result.loops),
      result.events.toLocaleString(),
      result.seconds.toFixed(1),
      Math.round(rate(result)).toLocaleString(),
      ratio(rate, result),
      result.cpuSeconds.toFixed(1),
      Math.round(cpuRate(result)).toLocaleString(),
      ratio(cpuRate, result),
    ]),
  );
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(', ');
  console.log(`
Events are swaps, syncs and transfers. A ratio says how many times as fast Tidepool is. CPU time is the indexer's and its
database's, without the RPC. Node ${process.version}, ${availableParallelism()} cores, load ${load} at the end.`);
  if (new Set(measured.map((result) => result.loops)).size > 1) {
    console.log('Fewer loops for a slow indexer keep the run short: compare the rates, not the seconds.');
  }
}
