import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Server } from 'socket.io';
import { type WebSocket, WebSocketServer } from 'ws';
import { LIVE_SETTINGS } from '#apps/api/src/access/api-parts.js';
import { liveSettings } from '#apps/api/src/access/live-settings.js';
import { LiveTransports } from '#apps/api/src/live/transport/live-transports.js';
import { transportProviders } from '#apps/api/src/live/transport/transport-providers.js';
import { startApplication } from '#libs/app/application.js';
import { ACCOUNTS, LOGGER } from '#libs/app/modules/tokens.js';
import { oneKey } from '#libs/devkit/testing/local-accounts.js';
import { createListener } from '#libs/serve/http/listener.js';
import type { ChannelDefinition, KeySink } from '#libs/serve/live/channel.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import { startCentrifugo } from './centrifugo.js';
import { type Broadcast, type FanOutKind, type FromServer, sharedNow, type ToServer, WINDOW } from './fan-out.js';

/**
 * The server of a fan-out: publishes the same frame as often as its parent asks, at most a window ahead of what every
 * socket has received, and reports how long that took and what CPU time it cost this process.
 */
const [kind, payload] = process.argv.slice(2) as [FanOutKind, string];
const KEY = 'bench';
const EPOCH = '1.1.bench000';

/** Frames keep their length: seq has as many digits from the first to the last. */
const seqOf = (n: number): number => 1_000_000 + n;

class FanOutModule {}

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
  const settings = liveSettings({ maxConnections: 100_000, keepAliveMs: 3_600_000 });
  const app = await startApplication({
    module: FanOutModule,
    providers: [
      { provide: LiveHub, useValue: hub },
      { provide: ACCOUNTS, useValue: accounts },
      { provide: LOGGER, useValue: logger },
      { provide: LIVE_SETTINGS, useValue: settings },
      ...transportProviders,
    ],
  });
  const transports = app.get(LiveTransports);
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

/** `encode`: the bytes once for all, or the text, which ws encodes for each socket. */
async function bare(encode: (text: string) => string | Buffer): Promise<Broadcast> {
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
      const frame = encode(frameText(n));
      for (const socket of open) socket.send(frame, { binary: false });
    },
    frameBytes: () => Buffer.byteLength(frameText(0)) + headerBytes(frameText(0)),
  };
}

/** As its documents say: one event to everyone. */
async function socketIo(): Promise<Broadcast> {
  const server = createServer();
  const options = { transports: ['websocket' as const], serveClient: false, pingInterval: 3_600_000 };
  const io = new Server(server, options);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const packet = (n: number): string => `42["frame",${frameText(n)}]`;
  return {
    port: (server.address() as AddressInfo).port,
    publish: (n) => void io.emit('frame', JSON.parse(frameText(n))),
    frameBytes: () => Buffer.byteLength(packet(0)) + headerBytes(packet(0)),
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
const servers = {
  tidepool,
  'bare ws': () => bare((text) => Buffer.from(text)),
  'bare ws, text': () => bare((text) => text),
  'socket.io': socketIo,
  centrifugo: () => startCentrifugo((n) => frameText(n)),
};
const broadcast = await servers[kind]();
let received = 0;
let wake: () => void = () => undefined;
/** Frames that were published before this run. */
let published = 0;

process.on('message', (message: ToServer) => {
  if (message.kind === 'received') {
    received = message.frames;
    wake();
  } else if (message.kind === 'memory') {
    globalThis.gc?.();
    const { heapUsed: heap, rss } = process.memoryUsage();
    tell({ kind: 'memory', frameBytes: broadcast.frameBytes(), memory: broadcast.memory?.() ?? { heap, rss } });
  } else void run(message);
});
process.on('SIGTERM', () => process.exit(0));
tell({ kind: 'listening', port: broadcast.port, key: KEY });

const turn = (): Promise<void> => new Promise((done) => void setImmediate(done));
async function receipt(enough: () => boolean): Promise<void> {
  while (!enough()) {
    await new Promise<void>((done) => {
      wake = done;
    });
  }
}

async function run({ frames, burst, everyMs }: Extract<ToServer, { kind: 'go' }>): Promise<void> {
  received = 0;
  const cpuBefore = cpuSeconds();
  const started = performance.now();
  const due = everyMs === 0 ? await flood(frames, burst) : await pace(frames, everyMs);
  await receipt(() => received >= frames);
  const seconds = (performance.now() - started) / 1000;
  tell({ kind: 'done', seconds, cpuSeconds: cpuSeconds() - cpuBefore, due });
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return broadcast.cpuSeconds?.() ?? (user + system) / 1e6;
}

/** As fast as the sockets take them. */
async function flood(frames: number, burst: number): Promise<number[]> {
  for (let n = 0; n < frames; ) {
    await receipt(() => n - received <= WINDOW * burst);
    for (let more = Math.min(burst, frames - n); more > 0; more--, n++) broadcast.publish(++published);
    await turn();
  }
  return [];
}

/** One each so many milliseconds, however far the sockets are: what is late is published when the loop comes round. */
async function pace(frames: number, everyMs: number): Promise<number[]> {
  const first = sharedNow();
  const due = Array.from({ length: frames }, (_, n) => first + n * everyMs);
  for (let n = 0; n < frames; ) {
    for (const now = sharedNow(); n < frames && due[n]! <= now; n++) broadcast.publish(++published);
    await delay(1);
  }
  return due;
}
