import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ArrivalTimes } from './arrival-times.js';
import { asked, endChild, forked, message } from './asked.js';

/**
 * One frame to many sockets, again and again: the service's own engine and transports compared with a bare broadcast of the
 * same bytes with the package ws. Server and sockets are separate processes; the sockets only count bytes, so that the
 * server is what is measured. At most `WINDOW` frames are on their way, so that neither side ever drops one.
 */
export const FAN_OUT_KINDS = ['tidepool', 'bare ws', 'bare ws, text', 'socket.io', 'centrifugo'] as const;
export type FanOutKind = (typeof FAN_OUT_KINDS)[number];

export interface FanOut {
  kind: FanOutKind;
  sockets: number;
  frames: number;
  frameBytes: number;
  seconds: number;
  /** CPU seconds of the server process, user and system. */
  cpuSeconds: number;
  /** Of the server process, for each socket that only waits. `heapKb`: of one in JavaScript. */
  idle: { heapKb: number | null; rssKb: number };
  /** Of frames that come at a steady rate; null where nothing was asked for. */
  paced: Paced | null;
}

interface Paced {
  /** Frames that all sockets got in a second, together. */
  framesPerSecond: number;
  cpuSeconds: number;
  /** Of all processes that hold the sockets. */
  socketsCpuSeconds: number;
  seconds: number;
  /** Milliseconds from when a frame was due to each socket. */
  p50: number;
  p99: number;
  max: number;
}

interface Memory {
  /** null: the server is not in JavaScript. */
  heap: number | null;
  rss: number;
}

export type ToServer =
  | { kind: 'memory' }
  | { kind: 'go'; frames: number; burst: number; everyMs: number }
  | { kind: 'received'; frames: number };
export type FromServer =
  | { kind: 'listening'; port: number; key: string }
  | { kind: 'memory'; frameBytes: number; memory: Memory }
  /** `due`: when each frame was to be published. */
  | { kind: 'done'; seconds: number; cpuSeconds: number; due: number[] };
export interface SocketsOrder {
  server: FanOutKind;
  port: number;
  key: string;
  count: number;
}
export type ToSockets =
  | { kind: 'connect'; order: SocketsOrder }
  | { kind: 'count'; frameBytes: number; timed: boolean }
  | { kind: 'arrivals'; due: number[] };
export type FromSockets =
  | { kind: 'connected' }
  | { kind: 'counting' }
  | { kind: 'received'; frames: number }
  /** How many frames took so many tenths of a millisecond to a socket. */
  | { kind: 'arrivals'; tenths: number[]; cpuSeconds: number };

/** A server of a fan-out. */
export interface Broadcast {
  port: number;
  /** Sends frame n to every socket. */
  publish(n: number): void;
  frameBytes(): number;
  /** Of the process that sends, where it is not this one. */
  cpuSeconds?(): number;
  memory?(): Memory;
}

export const WINDOW = 16;

/** On a clock that all processes of the machine share. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

export async function fanOut(options: {
  kind: FanOutKind;
  sockets: number;
  frames: number;
  /** Data of a real frame. */
  payload: string;
  /** Processes that hold the sockets. */
  generators?: number;
  /** Frames that are published in one turn of the event loop. */
  burst?: number;
  /** Then as many frames, one each so many milliseconds however long they take, to see how long each takes. */
  timed?: { frames: number; everyMs: number };
}): Promise<FanOut> {
  const { kind, sockets, frames, payload, generators = 1, burst = 1, timed = null } = options;
  const server = forked('fan-out-server.js', [kind, payload], ['--expose-gc']);
  const clients = Array.from({ length: generators }, () => forked('fan-out-sockets.js', []));
  try {
    const { port, key } = await message<FromServer, 'listening'>(server, 'listening');
    const { heap: heapBefore, rss: rssBefore } = (await memoryOf(server)).memory;
    const count = Math.ceil(sockets / generators);
    const counts = clients.map((_, at) => Math.min(count, sockets - at * count));
    const orders = counts.map(
      (some): ToSockets => ({ kind: 'connect', order: { server: kind, port, key, count: some } }),
    );
    await Promise.all(clients.map((client, at) => asked<FromSockets, 'connected'>(client, orders[at]!, 'connected')));
    const { memory, frameBytes } = await memoryOf(server);
    const { heap, rss } = memory;
    const idle = {
      heapKb: heapBefore === null || heap === null ? null : (heap - heapBefore) / sockets / 1024,
      rssKb: (rss - rssBefore) / sockets / 1024,
    };
    const run = async (go: Extract<ToServer, { kind: 'go' }>, isTimed: boolean) => {
      const counting: ToSockets = { kind: 'count', frameBytes, timed: isTimed };
      await Promise.all(clients.map((client) => asked<FromSockets, 'counting'>(client, counting, 'counting')));
      const received = clients.map(() => 0);
      const tell = clients.map((client, at) => {
        const listener = (heard: FromSockets): void => {
          if (heard.kind !== 'received') return;
          received[at] = heard.frames;
          server.send({ kind: 'received', frames: Math.min(...received) } satisfies ToServer);
        };
        client.on('message', listener);
        return () => client.off('message', listener);
      });
      const broken = Promise.race(clients.map((client) => once(client, 'exit'))).then((): never => {
        throw new Error('the sockets of the fan-out ended before the server was done');
      });
      broken.catch(() => undefined);
      const done = await Promise.race([asked<FromServer, 'done'>(server, go, 'done'), broken]);
      for (const stop of tell) stop();
      return done;
    };
    const { seconds, cpuSeconds } = await run({ kind: 'go', frames, burst, everyMs: 0 }, false);
    let paced: Paced | null = null;
    if (timed !== null) {
      const go = { kind: 'go', frames: timed.frames, burst: 1, everyMs: timed.everyMs } as const;
      const { due, ...took } = await run(go, true);
      const order: ToSockets = { kind: 'arrivals', due };
      const arrived = await Promise.all(
        clients.map((client) => asked<FromSockets, 'arrivals'>(client, order, 'arrivals')),
      );
      const framesPerSecond = (timed.frames * sockets) / took.seconds;
      const times = ArrivalTimes.of(arrived.map(({ tenths }) => tenths));
      const [p50, p99, max] = [0.5, 0.99, 1].map((part) => times.share(part)) as [number, number, number];
      const socketsCpuSeconds = arrived.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
      paced = { framesPerSecond, ...took, socketsCpuSeconds, p50, p99, max };
    }
    return { kind, sockets, frames, frameBytes, seconds, cpuSeconds, idle, paced };
  } finally {
    await Promise.all([...clients, server].map(endChild));
  }
}

const memoryOf = (server: ChildProcess) => asked<FromServer, 'memory'>(server, { kind: 'memory' }, 'memory');
