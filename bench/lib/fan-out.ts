import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endWithUs } from './no-orphans.js';

/**
 * One frame to many sockets, again and again: the service's own engine and transports compared with a bare broadcast of the
 * same bytes with the package ws. Server and sockets are separate processes; the sockets only count bytes, so that the
 * server is what is measured. At most `WINDOW` frames are on their way, so that neither side ever drops one.
 */
export type FanOutKind = 'tidepool' | 'bare ws';

export interface FanOut {
  kind: FanOutKind;
  sockets: number;
  frames: number;
  frameBytes: number;
  seconds: number;
  /** CPU seconds of the server process, user and system. */
  cpuSeconds: number;
}

export type ToServer = { kind: 'go'; frames: number } | { kind: 'received'; frames: number };
export type FromServer =
  | { kind: 'listening'; port: number; key: string }
  | { kind: 'ready'; frameBytes: number }
  | { kind: 'done'; seconds: number; cpuSeconds: number };
export interface SocketsOrder {
  port: number;
  key: string;
  count: number;
}
export type ToSockets = { kind: 'connect'; order: SocketsOrder } | { kind: 'count'; frameBytes: number };
export type FromSockets = { kind: 'connected' } | { kind: 'counting' } | { kind: 'received'; frames: number };

export const WINDOW = 16;

export async function fanOut(options: {
  kind: FanOutKind;
  sockets: number;
  frames: number;
  /** Data of a real frame. */
  payload: string;
}): Promise<FanOut> {
  const { kind, sockets, frames, payload } = options;
  const server = start('fan-out-server.js', [kind, payload]);
  const clients = start('fan-out-sockets.js', []);
  try {
    const { port, key } = await message<FromServer, 'listening'>(server, 'listening');
    clients.send({ kind: 'connect', order: { port, key, count: sockets } } satisfies ToSockets);
    await message<FromSockets, 'connected'>(clients, 'connected');
    const ready = message<FromServer, 'ready'>(server, 'ready');
    server.send({ kind: 'go', frames: 0 } satisfies ToServer);
    const { frameBytes } = await ready;
    const counting = message<FromSockets, 'counting'>(clients, 'counting');
    clients.send({ kind: 'count', frameBytes } satisfies ToSockets);
    await counting;
    clients.on('message', (received: FromSockets) => {
      if (received.kind === 'received') server.send(received satisfies ToServer);
    });
    const done = message<FromServer, 'done'>(server, 'done');
    const broken = once(clients, 'exit').then((): never => {
      throw new Error('the sockets of the fan-out ended before the server was done');
    });
    server.send({ kind: 'go', frames } satisfies ToServer);
    const { seconds, cpuSeconds } = await Promise.race([done, broken]);
    broken.catch(() => undefined);
    return { kind, sockets, frames, frameBytes, seconds, cpuSeconds };
  } finally {
    await Promise.all([end(clients), end(server)]);
  }
}

function start(file: string, args: string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args);
  endWithUs(child);
  return child;
}

/** The next message of a kind, or the failure of the process. */
function message<From extends { kind: string }, Kind extends From['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<From, { kind: Kind }>> {
  return new Promise((done, failed) => {
    const onExit = (code: number | null): void => failed(new Error(`a process of the fan-out ended with ${code}`));
    child.once('exit', onExit);
    const onMessage = (received: From): void => {
      if (received.kind !== kind) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      done(received as Extract<From, { kind: Kind }>);
    };
    child.on('message', onMessage);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
