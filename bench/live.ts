import { join } from 'node:path';
import { type BlockToSocket, blockToSocket } from './lib/block-to-socket.js';
import { buildCentrifugo } from './lib/centrifugo.js';
import { FAN_OUT_KINDS, type FanOut, type FanOutKind, fanOut } from './lib/fan-out.js';
import { headMix, printHeadMix } from './lib/head-mix.js';
import { temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { type StartToCandle, startToCandle } from './lib/start-to-candle.js';
import { printTable } from './lib/table.js';

/**
 * bench/live: from a block at the node to the frame at a socket, the same from the log to many sockets with a mix of subscriptions, one
 * frame to many sockets, a steady rate of frames, and from `npm start` to the first candle at a socket. The program runs as a process
 * of its own throughout.
 *
 * Run: `node dist/bench/live.js [--only fan-out,rate] [--sockets 10000] [--rate 110] …`
 */
const PARTS = ['blocks', 'mix', 'fan-out', 'rate', 'start'] as const;
const values = benchOptions('live', {
  ...{ blocks: '200', sockets: '10000', generators: '4', frames: '100', burst: '10', rounds: '3' },
  ...{ 'rate-sockets': '5000', rate: '110', seconds: '10', only: PARTS.join(',') },
  ...{ 'mix-blocks': '60', 'mix-ms': '2000', 'mix-trades': '100', 'mix-tokens': '300' },
});
const does = (part: (typeof PARTS)[number]): boolean => values.only.split(',').includes(part);

const ONE_BY_ONE = { frames: 40, everyMs: 250 };
const RATED: ReadonlySet<FanOutKind> = new Set(['tidepool', 'bare ws', 'centrifugo']);

const dir = temporaryFolder('tidepool-bench-live-');

/** Data of a small frame, and of a real one of ordinary size. */
const SMALL = JSON.stringify({ data: ['x'.repeat(180)], meta: { block: 1 } });
let real = JSON.stringify({ data: ['x'.repeat(1_350)], meta: { block: 1 } });
if (does('blocks')) {
  const measured = await blockToSocket(join(dir, 'latency'), Number(values.blocks));
  printLatency(measured);
  real = medianFrame(measured.frames);
}
if (does('mix')) await mix();
if (does('fan-out')) await fanOuts();
if (does('rate')) await rates();
if (does('start')) {
  const folder = join(dir, 'start');
  printStarts([
    ['an empty folder', await startToCandle(folder)],
    ['the folder of the start before', await startToCandle(folder)],
  ]);
}

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

async function mix(): Promise<void> {
  const [sockets, generators, blocks, everyMs, trades, tokens] = (
    ['sockets', 'generators', 'mix-blocks', 'mix-ms', 'mix-trades', 'mix-tokens'] as const
  ).map((name) => Number(values[name])) as [number, number, number, number, number, number];
  const options = { sockets, generators, blocks, everyMs, trades, tokens };
  printHeadMix(options, await headMix(options));
}

/** Without Go there is no Centrifugo. */
function measurable(): FanOutKind[] {
  try {
    buildCentrifugo();
    return [...FAN_OUT_KINDS];
  } catch (error) {
    console.log(`centrifugo is left out: ${(error as Error).message}`);
    return FAN_OUT_KINDS.filter((kind) => kind !== 'centrifugo');
  }
}

async function fanOuts(): Promise<void> {
  const kinds = measurable();
  const [sockets, generators, frames, most, rounds] = (
    ['sockets', 'generators', 'frames', 'burst', 'rounds'] as const
  ).map((name) => Number(values[name])) as [number, number, number, number, number];
  const rows: string[][] = [];
  for (const payload of [SMALL, real]) {
    for (const burst of [1, most]) {
      for (let round = 1; round <= rounds; round++) {
        const results: FanOut[] = [];
        for (const kind of kinds) {
          const timed = burst === 1 && round === 1 ? ONE_BY_ONE : undefined;
          results.push(await fanOut({ kind, sockets, frames, payload, generators, burst, timed }));
        }
        const bare = results.find(({ kind }) => kind === 'bare ws')!;
        rows.push(...results.map((result) => fanOutRow(result, burst, round, bare)));
      }
    }
  }
  const many = sockets.toLocaleString('en');
  console.log(`\none frame to ${many} sockets of ${generators} processes, ${frames} times\n`);
  const head = ['server', 'round', 'frame bytes', 'frames a turn', 'frames/s', 'CPU µs a frame', 'CPU, bare ws = 1'];
  printTable([...head, 'heap and memory of an idle socket, KB', 'p50, p99, max one by one, ms'], rows);
}

function fanOutRow(result: FanOut, burst: number, round: number, bare: FanOut): string[] {
  const { kind, sockets, frames, frameBytes, seconds, cpuSeconds, idle, paced } = result;
  const sent = sockets * frames;
  return [
    ...[kind, String(round), String(frameBytes), String(burst), Math.round(sent / seconds).toLocaleString('en')],
    ...[((cpuSeconds / sent) * 1e6).toFixed(2), (cpuSeconds / bare.cpuSeconds).toFixed(2)],
    `${idle.heapKb?.toFixed(1) ?? '–'}, ${idle.rssKb.toFixed(1)}`,
    paced === null ? '' : [paced.p50, paced.p99, paced.max].map((ms) => ms.toFixed(1)).join(', '),
  ];
}

/** More frames than a server that writes each by itself can send. */
async function rates(): Promise<void> {
  const [sockets, generators, rate, seconds] = (['rate-sockets', 'generators', 'rate', 'seconds'] as const).map(
    (name) => Number(values[name]),
  ) as [number, number, number, number];
  const rows: string[][] = [];
  for (const payload of [SMALL, real]) {
    for (const kind of measurable().filter((each) => RATED.has(each))) {
      const timed = { frames: rate * seconds, everyMs: 1_000 / rate };
      const { frameBytes, paced } = await fanOut({ kind, sockets, frames: 1, payload, generators, timed });
      rows.push([
        ...[kind, String(frameBytes), (sockets * rate).toLocaleString('en')],
        Math.round(paced!.framesPerSecond).toLocaleString('en'),
        ...[paced!.cpuSeconds, paced!.socketsCpuSeconds].map((used) => (used / paced!.seconds).toFixed(2)),
        ...[paced!.p50, paced!.p99, paced!.max].map((ms) => ms.toFixed(0)),
      ]);
    }
  }
  const many = sockets.toLocaleString('en');
  console.log(`\n${rate} frames a second to ${many} sockets of ${generators} processes\n`);
  printTable(
    [
      'server',
      'frame bytes',
      'frames/s due',
      'frames/s',
      'cores',
      'cores of the sockets',
      'p50 ms',
      'p99 ms',
      'max ms',
    ],
    rows,
  );
}

function printStarts(starts: [string, StartToCandle][]): void {
  const seconds = (ms: number): string => (ms / 1000).toFixed(2);
  console.log('\nseconds from the start of the process\n');
  printTable(
    ['npm start on', 'listening', 'first candle at a socket'],
    starts.map(([name, { listeningMs, candleMs }]) => [name, seconds(listeningMs), seconds(candleMs)]),
  );
}
