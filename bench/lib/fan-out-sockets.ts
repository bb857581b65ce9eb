import { ArrivalTimes } from './arrival-times.js';
import { type FanOutKind, type FromSockets, type SocketsOrder, sharedNow, type ToSockets } from './fan-out.js';
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
  const { path, opens, bytesOf } = DIALECTS[server] ?? TIDEPOOL;
  const socket = await RawSocket.open({ port, path, key });
  for (const [text, answer] of opens) {
    const answered = socket.until(answer);
    socket.send(text);
    await answered;
  }
  const receiver: Receiver = { bytes: 0, arrivals: null };
  const sizeOf = bytesOf?.() ?? ((bytes: Buffer) => bytes.length);
  socket.onBytes = (bytes) => count(receiver, sizeOf(bytes));
  return receiver;
}

interface Dialect {
  readonly path: string;
  /** What is sent after the handshake, and what its answer contains. */
  readonly opens: readonly (readonly [text: string, answer: string])[];
  /** Bytes of frames in what was read, where it is not all of it. */
  readonly bytesOf?: () => (bytes: Buffer) => number;
}

const TIDEPOOL: Dialect = {
  path: '/ws',
  opens: [['{"op":"subscribe","id":"1","channel":"trades","chain":"eth","token":"0x"}', '"type":"snapshot"']],
};

const DIALECTS: Partial<Record<FanOutKind, Dialect>> = {
  'socket.io': { path: '/socket.io/?EIO=4&transport=websocket', opens: [['40', '40{"sid"']] },
  centrifugo: {
    path: '/connection/websocket',
    opens: [
      ['{"connect":{},"id":1}', '"connect"'],
      ['{"subscribe":{"channel":"bench"},"id":2}', '"subscribe"'],
    ],
    bytesOf: pushes,
  },
};

/** Centrifugo writes several messages as one frame under load: its messages are counted, each as the bytes of a frame. */
function pushes(): (bytes: Buffer) => number {
  const push = '{"push":';
  let kept = '';
  return (bytes) => {
    const text = kept + bytes.toString('latin1');
    let found = 0;
    for (let at = text.indexOf(push); at >= 0; at = text.indexOf(push, at + push.length)) found++;
    // The start of one that is cut; a whole one never fits in it.
    kept = text.slice(1 - push.length);
    return found * frameBytes;
  };
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
