import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { OutFrame } from '#libs/serve/live/outlet.js';
import { SocketOutlet } from './socket-outlet.js';
import { TransportCounters } from './transport-counters.js';
import { WebSocketFrames } from './web-socket-frames.js';
import { AT_ONCE, WriteRound } from './write-round.js';

/** Outlets of one round, and the bytes of each of their writes. */
function crowd(count: number) {
  const [frames, round] = [new WebSocketFrames(), new WriteRound()];
  return Array.from({ length: count }, () => {
    const writes: number[] = [];
    const socket = { readyState: 1, OPEN: 1, bufferedAmount: 0 } as unknown as WebSocket;
    const stream = { write: (bytes: Buffer) => writes.push(bytes.length) } as unknown as Duplex;
    return { writes, outlet: new SocketOutlet(socket, stream, false, frames, round, new TransportCounters()) };
  });
}

const HEADER = 4;
const frameOf = (bytes: number): OutFrame => ({ type: 'trades', epoch: null, seq: null, text: 'x'.repeat(bytes) });
const turn = (): Promise<void> => new Promise((done) => void setImmediate(done));

it('a large frame to a crowd leaves over several turns, as a small one does', async () => {
  const connections = crowd(2 * AT_ONCE);
  const frame = frameOf(40_000);
  for (const { outlet } of connections) outlet.send(frame);
  const served = (): number => connections.filter(({ writes }) => writes.length > 0).length;
  expect(served()).toBe(0);
  await turn();
  expect(served()).toBe(AT_ONCE);
  await turn();
  for (const { writes } of connections) expect(writes).toEqual([40_000 + HEADER]);
});

it('several frames that are much together leave at once, in one write', async () => {
  const [connection] = crowd(1);
  const { outlet, writes } = connection!;
  for (const bytes of [9_000, 9_000, 1_000]) outlet.send(frameOf(bytes));
  expect(writes).toEqual([2 * (9_000 + HEADER)]);
  await turn();
  expect(writes).toEqual([2 * (9_000 + HEADER), 1_000 + HEADER]);
});
