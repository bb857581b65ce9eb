import { ArrivalTimes } from './arrival-times.js';
import { type FromSockets, type SocketsOrder, sharedNow, type ToSockets } from './fan-out.js';
import { RawSocket } from './raw-socket.js';

/**
 * The sockets of a fan-out: plain TCP connections that make the WebSocket handshake, subscribe, and from then on only
 * count bytes. Frames all have one length, so bytes say how many frames the slowest socket has.
 */
const tell = (message: FromSockets): void => void process.send!(message);

interface Receiver {
  bytes: number;
  /** When each frame was whole, where that is asked for. */
  arrivals: number[] | null;
}

const receivers: Receiver[] = [];
let frameBytes = 0;
let received = 0;
let cpuBefore = process.cpuUsage();
/** Receivers that have got as many whole frames, by that number. */
let counts = new Map<number, number>();

process.on('message', (message: ToSockets) => {
  if (message.kind === 'connect') void open(message.order);
  else if (message.kind === 'arrivals') {
    const { due } = message;
    const { user, system } = process.cpuUsage(cpuBefore);
    const times = new ArrivalTimes();
    for (const { arrivals } of receivers) for (const [n, at] of arrivals!.entries()) times.add(at - due[n]!);
    tell({ kind: 'arrivals', tenths: times.tenths, cpuSeconds: (user + system) / 1e6 });
  } else {
    frameBytes = message.frameBytes;
    counts = new Map([[0, receivers.length]]);
    received = 0;
    for (const receiver of receivers) {
      receiver.bytes = 0;
      receiver.arrivals = message.timed ? [] : null;
    }
    cpuBefore = process.cpuUsage();
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
  const socketIo = server === 'socket.io';
  const path = socketIo ? '/socket.io/?EIO=4&transport=websocket' : '/ws';
  const socket = await RawSocket.open({ port, path, key });
  const answered = socket.until(socketIo ? '40{"sid"' : '"type":"snapshot"');
  const subscription = { op: 'subscribe', id: '1', channel: 'trades', chain: 'eth', token: '0x' };
  socket.send(socketIo ? '40' : JSON.stringify(subscription));
  await answered;
  const receiver: Receiver = { bytes: 0, arrivals: null };
  socket.onBytes = (bytes) => count(receiver, bytes.length);
  return receiver;
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
