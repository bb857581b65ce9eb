import { ArrivalTimes } from './arrival-times.js';
import { sharedNow } from './fan-out.js';
import type { ChannelArrivals, FromMixSockets, MixSocket, ToMixSockets } from './head-mix.js';
import { RawSocket } from './raw-socket.js';

/**
 * Sockets of the mix. While a run is measured only the time and the bytes of each read are kept, and read as frames when nothing comes,
 * so that a socket does not wait for the reading of another.
 */
const tell = (message: FromMixSockets): void => void process.send!(message);

interface Arrival {
  channel: string;
  type: string;
  seq: number;
  at: number;
}

/** The beginning of a frame of a channel. */
const HEAD = /^\{"type":"(\w+)","id":"\w+","channel":"(\w+)"(?:,"epoch":"[^"]*","seq":(\d+))?/;
const IDLE_MS = 100;

let arrivals: Arrival[] = [];
let kept: { receiver: Receiver; at: number; bytes: Buffer }[] = [];
let measuring = false;
let cpuBefore = process.cpuUsage();
let lastRead = 0;

class Receiver {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly onFrame: (arrival: Arrival) => void) {}

  take(bytes: Buffer, at: number): void {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    let from = 0;
    for (let size = sizeOf(all, from); size !== null && from + size.whole <= all.length; size = sizeOf(all, from)) {
      this.frame(all.toString('latin1', from + size.head, from + Math.min(size.whole, 300)), at);
      from += size.whole;
    }
    this.rest = Buffer.from(all.subarray(from));
  }

  private frame(text: string, at: number): void {
    const [, type, channel, seq] = HEAD.exec(text) ?? [];
    if (type === undefined || type === 'error' || type === 'lagged') throw new Error(`a socket of the mix got ${text}`);
    this.onFrame({ channel: channel!, type, seq: Number(seq), at });
  }
}

/** Of an unmasked frame; null where its head is not there yet. */
function sizeOf(bytes: Buffer, from: number): { head: number; whole: number } | null {
  if (from + 2 > bytes.length) return null;
  const short = bytes[from + 1]!;
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (from + head > bytes.length) return null;
  if (short < 126) return { head, whole: head + short };
  const length = short === 126 ? bytes.readUInt16BE(from + 2) : Number(bytes.readBigUInt64BE(from + 2));
  return { head, whole: head + length };
}

process.on('message', (message: ToMixSockets) => {
  if (message.kind === 'connect') void open(message.port, message.key, message.sockets);
  else if (message.kind === 'measure') {
    measuring = true;
    arrivals = [];
    cpuBefore = process.cpuUsage();
    tell({ kind: 'measuring' });
  } else {
    readKept();
    const { user, system } = process.cpuUsage(cpuBefore);
    const cpuSeconds = (user + system) / 1e6;
    tell({
      kind: 'arrivals',
      cpuSeconds,
      channels: counted(new Map(message.appended.map(([seq, ...at]) => [seq, at]))),
    });
  }
});
process.on('SIGTERM', () => process.exit(0));

async function open(port: number, key: string, sockets: readonly MixSocket[]): Promise<void> {
  for (let from = 0; from < sockets.length; from += 20) {
    await Promise.all(sockets.slice(from, from + 20).map((messages) => subscribe(port, key, messages)));
  }
  tell({ kind: 'connected' });
}

/** Until it has its snapshots. */
async function subscribe(port: number, key: string, messages: MixSocket): Promise<void> {
  const socket = await RawSocket.open({ port, path: '/ws', key });
  let waits = messages.length;
  await new Promise<void>((done) => {
    const receiver = new Receiver((arrival) => {
      if (measuring) arrivals.push(arrival);
      else if (arrival.type === 'snapshot' && --waits === 0) done();
    });
    socket.onBytes = (bytes) => {
      const at = sharedNow();
      lastRead = at;
      if (measuring) kept.push({ receiver, at, bytes: Buffer.from(bytes) });
      else receiver.take(Buffer.from(bytes), at);
    };
    for (const message of messages) socket.send(message);
  });
}

setInterval(() => {
  if (measuring && sharedNow() - lastRead > IDLE_MS) readKept();
}, IDLE_MS);

function readKept(): void {
  const reads = kept;
  kept = [];
  for (const { receiver, at, bytes } of reads) receiver.take(bytes, at);
}

/** By channel: all frames, and how long those took that a block of the run brought, from its blocks and from its facts. */
function counted(appended: ReadonlyMap<number, readonly number[]>): ChannelArrivals[] {
  const channels: Record<string, { frames: number; blocks: ArrivalTimes; facts: ArrivalTimes }> = {};
  for (const { channel, type, seq, at } of arrivals) {
    channels[channel] ??= { frames: 0, blocks: new ArrivalTimes(), facts: new ArrivalTimes() };
    const of = channels[channel];
    of.frames++;
    const since = appended.get(seq);
    // A snapshot comes at a time of its own, at the place where its channel is.
    if (since === undefined || type === 'snapshot') continue;
    of.blocks.add(at - since[0]!);
    of.facts.add(at - since[1]!);
  }
  return Object.entries(channels).map(([channel, { frames, blocks, facts }]) => ({
    ...{ channel, frames, blocks: blocks.tenths, facts: facts.tenths },
  }));
}
