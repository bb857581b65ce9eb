import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type FromSockets, type SocketsOrder, sharedNow, type ToSockets } from './fan-out.js';

/**
 * The sockets of a fan-out: plain TCP connections that make the WebSocket handshake, subscribe, and from then on only
 * count bytes. Frames all have one length, so bytes say how many frames the slowest socket has.
 */
const tell = (message: FromSockets): void => void process.send!(message);

interface Receiver {
  socket: Socket;
  bytes: number;
  /** When each frame was whole, where that is asked for. */
  arrivals: number[] | null;
}

const receivers: Receiver[] = [];
let frameBytes = 0;
let received = 0;
/** Receivers that have got as many whole frames, by that number. */
let counts = new Map<number, number>();

process.on('message', (message: ToSockets) => {
  if (message.kind === 'connect') void open(message.order);
  else if (message.kind === 'arrivals') {
    const { due } = message;
    const tenths: number[] = [];
    for (const { arrivals } of receivers) {
      for (const [n, at] of arrivals!.entries()) {
        const took = Math.max(0, Math.floor((at - due[n]!) * 10));
        while (tenths.length <= took) tenths.push(0);
        tenths[took]!++;
      }
    }
    tell({ kind: 'arrivals', tenths });
  } else {
    frameBytes = message.frameBytes;
    counts = new Map([[0, receivers.length]]);
    received = 0;
    for (const receiver of receivers) {
      receiver.bytes = 0;
      receiver.arrivals = message.timed ? [] : null;
    }
    tell({ kind: 'counting' });
  }
});
process.on('SIGTERM', () => process.exit(0));

async function open(order: SocketsOrder): Promise<void> {
  for (let from = 0; from < order.count; from += 50) {
    const some = Array.from({ length: Math.min(50, order.count - from) }, () => subscribe(order));
    receivers.push(...(await Promise.all(some)));
  }
  tell({ kind: 'connected' });
}

async function subscribe({ server, port, key }: SocketsOrder): Promise<Receiver> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const path = server === 'socket.io' ? '/socket.io/?EIO=4&transport=websocket' : '/ws';
  const head = [
    `GET ${path} HTTP/1.1`,
    'host: bench',
    'connection: Upgrade',
    'upgrade: websocket',
    `x-api-key: ${key}`,
  ];
  const handshake = ['sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', '', ''];
  socket.write([...head, ...handshake].join('\r\n'));
  await until(socket, '101 Switching Protocols');
  if (server === 'socket.io') {
    socket.write(masked('40'));
    await until(socket, '40{"sid"');
  } else {
    socket.write(masked(JSON.stringify({ op: 'subscribe', id: '1', channel: 'trades', chain: 'eth', token: '0x' })));
    await until(socket, '"type":"snapshot"');
  }
  const receiver: Receiver = { socket, bytes: 0, arrivals: null };
  socket.on('data', (chunk) => count(receiver, chunk.length));
  socket.once('close', () => {
    console.error('the server ended a connection: a fan-out compares nothing without it');
    process.exit(1);
  });
  return receiver;
}

/** Reads on until a text has come. Nothing follows it before the counting begins. */
async function until(socket: Socket, wanted: string): Promise<void> {
  let text = '';
  while (!text.includes(wanted)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    text += chunk.toString('latin1');
  }
}

function masked(text: string): Buffer {
  const body = Buffer.from(text);
  if (body.length > 125) throw new RangeError('the message needs a longer header');
  // A mask of zeros leaves the bytes as they are.
  return Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]);
}

function count(receiver: Receiver, bytes: number): void {
  const before = Math.floor(receiver.bytes / frameBytes);
  receiver.bytes += bytes;
  const now = Math.floor(receiver.bytes / frameBytes);
  if (now === before) return;
  if (receiver.arrivals !== null) {
    const at = sharedNow();
    for (let n = before; n < now; n++) receiver.arrivals.push(at);
  }
  counts.set(before, counts.get(before)! - 1);
  counts.set(now, (counts.get(now) ?? 0) + 1);
  let all = received;
  while (counts.get(all) === 0) {
    counts.delete(all);
    all++;
    if (!counts.has(all)) counts.set(all, 0);
    if ([...counts.values()].every((holders) => holders === 0)) break;
  }
  if (all === received) return;
  received = all;
  tell({ kind: 'received', frames: received });
}
