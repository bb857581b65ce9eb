import { ArrivalTimes } from './arrival-times.js';
import { YOUNG_SPACE } from './as-started.js';
import { asked, endChild, forked, message } from './asked.js';
import { OWN_PACE, type Subjects, socketsOfMix } from './mix.js';
import { printTable } from './table.js';

/**
 * Blocks at the pace of a chain's head, to sockets with a realistic mix of subscriptions: how long after the append of a block to the
 * log its frames are at the sockets. Server and sockets are separate processes.
 */
export type MixSocket = readonly string[];
export type Appended = readonly [seq: number, blocksAt: number, factsAt: number];

export type ToMixServer =
  | { kind: 'memory' }
  | { kind: 'go'; blocks: number; everyMs: number; record: boolean }
  | { kind: 'bare'; everyMs: number };
export type FromMixServer =
  | { kind: 'listening'; port: number; key: string; subjects: Subjects }
  | { kind: 'memory'; heap: number; rss: number; subscriptions: number; keys: number }
  | { kind: 'done'; appended: Appended[]; seconds: number; cpuSeconds: number };
export type ToMixSockets =
  | { kind: 'connect'; port: number; key: string; sockets: readonly MixSocket[] }
  | { kind: 'measure' }
  | { kind: 'arrivals'; appended: readonly Appended[] };
/** The name of what is written again without what made it. */
export const BARE = 'bare';
export interface ChannelArrivals {
  channel: string;
  frames: number;
  /** Tenths of a millisecond, from the append of blocks and from that of facts. */
  blocks: number[];
  facts: number[];
}
export type FromMixSockets =
  | { kind: 'connected' }
  | { kind: 'measuring' }
  | { kind: 'arrivals'; channels: ChannelArrivals[]; cpuSeconds: number };

export interface MixOptions {
  sockets: number;
  generators: number;
  blocks: number;
  everyMs: number;
  /** Of a block. */
  trades: number;
  tokens: number;
}

export interface HeadMix {
  subscriptions: number;
  keys: number;
  seconds: number;
  cpuSeconds: number;
  /** Of all processes that hold the sockets. */
  socketsCpuSeconds: number;
  /** Of the server's process, for each socket with what it follows. */
  heapKb: number;
  rssKb: number;
  rows: MixRow[];
  /** The same writes again, without what made them. */
  bare: MixRow;
  bareCpuSeconds: number;
}

interface MixRow {
  channel: string;
  frames: number;
  blocks: ArrivalTimes;
  facts: ArrivalTimes;
}

const HISTORY = 150;
const WARM = 5;
const SEED = 1;

export async function headMix({ sockets, generators, blocks, everyMs, trades, tokens }: MixOptions): Promise<HeadMix> {
  const args = [HISTORY, WARM + blocks, trades, tokens].map(String);
  const server = forked('mix-server.js', args, ['--expose-gc', YOUNG_SPACE]);
  const clients = Array.from({ length: generators }, () => forked('mix-sockets.js', []));
  try {
    const { port, key, subjects } = await message<FromMixServer, 'listening'>(server, 'listening');
    const memory = () => asked<FromMixServer, 'memory'>(server, { kind: 'memory' }, 'memory');
    const all = <Kind extends FromMixSockets['kind']>(kind: Kind, ask: (at: number) => ToMixSockets) =>
      Promise.all(clients.map((client, at) => asked<FromMixSockets, Kind>(client, ask(at), kind)));
    const done = (ask: ToMixServer) => asked<FromMixServer, 'done'>(server, ask, 'done');
    const before = await memory();
    const mix = socketsOfMix(sockets, subjects, SEED);
    await all('connected', (at) => ({
      kind: 'connect',
      ...{ port, key, sockets: mix.filter((_, n) => n % generators === at) },
    }));
    await done({ kind: 'go', blocks: WARM, everyMs, record: false });
    const after = await memory();
    await all('measuring', () => ({ kind: 'measure' }));
    const { appended, seconds, cpuSeconds } = await done({ kind: 'go', blocks, everyMs, record: true });
    const arrived = await all('arrivals', () => ({ kind: 'arrivals', appended }));
    await all('measuring', () => ({ kind: 'measure' }));
    const again = await done({ kind: 'bare', everyMs });
    const bare = await all('arrivals', () => ({ kind: 'arrivals', appended: again.appended }));
    return {
      ...{ subscriptions: after.subscriptions, keys: after.keys, seconds, cpuSeconds },
      heapKb: (after.heap - before.heap) / sockets / 1024,
      rssKb: (after.rss - before.rss) / sockets / 1024,
      socketsCpuSeconds: arrived.reduce((sum, { cpuSeconds: used }) => sum + used, 0),
      rows: summed(arrived.flatMap(({ channels }) => channels)),
      bare: rowOf(
        'the same bytes, bare',
        bare.flatMap(({ channels }) => channels.filter(({ channel }) => channel === BARE)),
      ),
      bareCpuSeconds: again.cpuSeconds,
    };
  } finally {
    await Promise.all([...clients, server].map(endChild));
  }
}

/** A channel with a pace of its own has counts alone: its frames wait for no block. */
export function printHeadMix({ sockets, everyMs, trades }: MixOptions, mix: HeadMix): void {
  const many = (count: number): string => count.toLocaleString('en');
  console.log(`\na block of ${trades} trades every ${everyMs} ms to ${many(sockets)} sockets\n`);
  const shares = ({ blocks, facts }: MixRow): string[] =>
    [blocks, facts].flatMap((times) => [0.5, 0.99, 1].map((part) => times.share(part).toFixed(1)));
  const head = ['channel', 'frames', 'from blocks: p50 ms', 'p99', 'max', 'from facts: p50 ms', 'p99', 'max'];
  printTable(
    head,
    [...mix.rows, mix.bare].map((row) => [
      row.channel,
      many(row.frames),
      ...(OWN_PACE.has(row.channel) ? [] : shares(row)),
    ]),
  );
  console.log();
  printTable(
    [
      ...['subscriptions', 'keys', 'server, cores', 'bare, cores', 'sockets, cores'],
      ...['heap of a socket, KB', 'memory of it, KB'],
    ],
    [
      [
        ...[many(mix.subscriptions), many(mix.keys)],
        ...[mix.cpuSeconds, mix.bareCpuSeconds, mix.socketsCpuSeconds].map((used) => (used / mix.seconds).toFixed(2)),
        ...[mix.heapKb, mix.rssKb].map((kb) => kb.toFixed(1)),
      ],
    ],
  );
}

/** One row a channel, and first one of all that blocks brought. */
function summed(parts: readonly ChannelArrivals[]): MixRow[] {
  const names = [...new Set(parts.map(({ channel }) => channel))].sort();
  const byBlocks = parts.filter(({ channel }) => !OWN_PACE.has(channel));
  const ofChannel = (name: string): MixRow =>
    rowOf(
      name,
      parts.filter(({ channel }) => channel === name),
    );
  return [rowOf('all that blocks bring', byBlocks), ...names.map(ofChannel)];
}

const rowOf = (channel: string, some: readonly ChannelArrivals[]): MixRow => ({
  channel,
  frames: some.reduce((sum, { frames }) => sum + frames, 0),
  blocks: ArrivalTimes.of(some.map(({ blocks }) => blocks)),
  facts: ArrivalTimes.of(some.map(({ facts }) => facts)),
});
