import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { LiveTransports } from '#apps/api/src/live/transport/live-transports.js';
import { createListener } from '#libs/http/listener.js';
import type { ChannelDefinition, KeySink } from '#libs/live/channel.js';
import { LiveHub } from '#libs/live/live-hub.js';
import { oneKey } from '#libs/testing/local-accounts.js';
import { type FanOutKind, type FromServer, type ToServer, WINDOW } from './fan-out.js';

/**
 * The server of a fan-out: publishes the same frame as often as its parent asks, at most a window ahead of what every
 * socket has received, and reports how long that took and what CPU time it cost this process.
 */
const [kind, payload] = process.argv.slice(2) as [FanOutKind, string];
const KEY = 'bench';
const EPOCH = '1.1.bench000';

interface Broadcast {
  port: number;
  /** Sends frame n to every socket. */
  publish(n: number): void;
  frameBytes(): number;
}

/** Frames keep their length: seq has as many digits from the first to the last. */
const seqOf = (n: number): number => 1_000_000 + n;

async function tidepool(): Promise<Broadcast> {
  const { data, meta } = JSON.parse(payload) as { data: unknown; meta: unknown };
  let sink: KeySink | null = null;
  let newest = 0;
  const channel: ChannelDefinition = {
    name: 'trades',
    resolve: () => ({
      key: 'bench',
      open: (opened) => {
        sink = opened;
        return {
          snapshot: () => ({
            ...{ epoch: EPOCH, seq: seqOf(newest) },
            ready: Promise.resolve({ data: [], meta, absent: null }),
          }),
          since: () => null,
          close: () => undefined,
        };
      },
    }),
  };
  const logger = { info: () => undefined, warn: console.error, error: console.error };
  const { accounts } = oneKey(KEY);
  const hub = new LiveHub({ channels: [channel], logger });
  // The sockets answer no pings: a run is shorter than the pause between two.
  const transports = new LiveTransports({ hub, accounts, logger, maxConnections: 100_000, keepAliveMs: 3_600_000 });
  const listener = await createListener({
    ...{ routes: [], upgrades: transports.alone(), accounts, logger },
    ...{ host: '127.0.0.1', port: 0, errorBody: ({ code, message }) => ({ error: { code, message } }) },
  });
  return {
    port: Number(new URL(listener.url).port),
    publish: (n) => {
      newest = n;
      sink?.add(() => ({ type: 'trades', epoch: EPOCH, seq: seqOf(n), data, meta }));
    },
    frameBytes: () => Buffer.byteLength(frameText(0)) + headerBytes(frameText(0)),
  };
}

async function bare(): Promise<Broadcast> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const open = new Set<WebSocket>();
  sockets.on('connection', (socket) => {
    open.add(socket);
    // The answer that the sockets wait for before they count.
    socket.on('message', () => socket.send(JSON.stringify({ type: 'snapshot' })));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  return {
    port: (server.address() as AddressInfo).port,
    publish: (n) => {
      const bytes = Buffer.from(frameText(n));
      for (const socket of open) socket.send(bytes, { binary: false });
    },
    frameBytes: () => Buffer.byteLength(frameText(0)) + headerBytes(frameText(0)),
  };
}

/** The very bytes of the engine's frame. */
function frameText(n: number): string {
  const { data, meta } = JSON.parse(payload) as { data: unknown; meta: unknown };
  const rest = JSON.stringify({ channel: 'trades', epoch: EPOCH, seq: seqOf(n), data, meta });
  return `{"type":"trades","id":"1",${rest.slice(1)}`;
}

/** Of an unmasked WebSocket frame. */
function headerBytes(text: string): number {
  const length = Buffer.byteLength(text);
  return length < 126 ? 2 : length < 65_536 ? 4 : 10;
}

const tell = (message: FromServer): void => void process.send!(message);
const broadcast = kind === 'tidepool' ? await tidepool() : await bare();
let received = 0;
let wake: () => void = () => undefined;

process.on('message', (message: ToServer) => {
  if (message.kind === 'received') {
    received = message.frames;
    wake();
  } else if (message.frames === 0) tell({ kind: 'ready', frameBytes: broadcast.frameBytes() });
  else void run(message.frames);
});
process.on('SIGTERM', () => process.exit(0));
tell({ kind: 'listening', port: broadcast.port, key: KEY });

async function run(frames: number): Promise<void> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let n = 1; n <= frames; n++) {
    while (n - received > WINDOW) {
      await new Promise<void>((done) => {
        wake = done;
      });
    }
    broadcast.publish(n);
    await new Promise<void>((turn) => setImmediate(turn));
  }
  while (received < frames) {
    await new Promise<void>((done) => {
      wake = done;
    });
  }
  const { user, system } = process.cpuUsage(cpu);
  tell({ kind: 'done', seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 });
}
