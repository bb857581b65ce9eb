import { join } from 'node:path';
import { type BlockToSocket, blockToSocket } from './lib/block-to-socket.js';
import { type FanOut, fanOut } from './lib/fan-out.js';
import { temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { type StartToCandle, startToCandle } from './lib/start-to-candle.js';
import { printTable } from './lib/table.js';

/**
 * bench/live: from a block at the node to the frame at a socket, one frame to many sockets, and from `npm start` to the
 * first candle at a socket. The program runs as a process of its own throughout.
 *
 * Run: `node dist/bench/live.js [--blocks 200] [--sockets 1000] [--frames 1000] [--rounds 3]`
 */
const values = benchOptions('live', { blocks: '200', sockets: '1000', frames: '1000', rounds: '3' });

const dir = temporaryFolder('tidepool-bench-live-');

const measured = await blockToSocket(join(dir, 'latency'), Number(values.blocks));
printLatency(measured);
await fanOuts(medianFrame(measured.frames));
const folder = join(dir, 'start');
printStarts([
  ['an empty folder', await startToCandle(folder)],
  ['the folder of the start before', await startToCandle(folder)],
]);

function printLatency({ trades, candles, quiet }: BlockToSocket): void {
  const row = (name: string, samples: number[]): string[] => [
    name,
    String(samples.length),
    ...[0.5, 0.95, 1].map((share) => percentile(samples, share).toFixed(1)),
  ];
  console.log('\nblock at the node to frame at the socket, ms\n');
  printTable(['channel', 'blocks', 'p50', 'p95', 'max'], [row('trades', trades), row('candles 1m', candles)]);
  console.log(`\n${quiet} more blocks held no trade of the token and sent nothing`);
}

/** A frame of ordinary size. */
function medianFrame(frames: string[]): string {
  const sorted = [...frames].sort((a, b) => a.length - b.length);
  return sorted[Math.floor(sorted.length / 2)]!;
}

async function fanOuts(payload: string): Promise<void> {
  const [sockets, frames, rounds] = [values.sockets, values.frames, values.rounds].map(Number) as [
    number,
    number,
    number,
  ];
  const rows: string[][] = [];
  for (let round = 1; round <= rounds; round++) {
    const results: FanOut[] = [];
    for (const kind of ['tidepool', 'bare ws'] as const) results.push(await fanOut({ kind, sockets, frames, payload }));
    const ratio = (results[0]!.cpuSeconds / results[1]!.cpuSeconds).toFixed(2);
    for (const { kind, frameBytes, seconds, cpuSeconds } of results) {
      const sent = sockets * frames;
      rows.push([
        `round ${round}, ${kind}`,
        String(frameBytes),
        Math.round(sent / seconds).toLocaleString('en'),
        ((cpuSeconds / sent) * 1e6).toFixed(2),
        ((sent * frameBytes) / seconds / 1e6).toFixed(0),
        kind === 'tidepool' ? ratio : '1.00',
      ]);
    }
  }
  console.log(`\none frame to ${sockets.toLocaleString('en')} sockets, ${frames.toLocaleString('en')} times\n`);
  printTable(['server', 'frame bytes', 'frames/s', 'CPU µs a frame', 'MB/s', 'CPU, bare ws = 1'], rows);
}

function printStarts(starts: [string, StartToCandle][]): void {
  const seconds = (ms: number): string => (ms / 1000).toFixed(2);
  console.log('\nseconds from the start of the process\n');
  printTable(
    ['npm start on', 'listening', 'first candle at a socket'],
    starts.map(([name, { listeningMs, candleMs }]) => [name, seconds(listeningMs), seconds(candleMs)]),
  );
}
