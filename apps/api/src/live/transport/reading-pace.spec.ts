import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import { ReadingPace } from './reading-pace.js';

/** As much of a socket as its pace needs. */
class CountedSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;
  pongs = 0;
  pauses = 0;

  pong(): void {
    this.pongs++;
  }
  pause(): void {
    this.isPaused = true;
    this.pauses++;
  }
  resume(): void {
    this.isPaused = false;
  }
}

function start() {
  let time = 0;
  const socket = new CountedSocket();
  const pace = new ReadingPace(socket as unknown as WebSocket, () => time);
  const move = (ms: number): void => {
    time += ms;
  };
  return { socket, pace, move };
}

const ping = (socket: CountedSocket): boolean => socket.emit('ping', Buffer.from('x'));

it('a socket rests after a burst of messages and pings together', () => {
  const { socket, pace, move } = start();
  for (let n = 0; n < 200; n++) {
    pace.count();
    ping(socket);
  }
  expect(socket).toMatchObject({ pongs: 200, pauses: 0 });
  ping(socket);
  expect(socket).toMatchObject({ pauses: 1, isPaused: true });
  socket.resume();
  move(1_000);
  // A hundred a second, one of which is owed.
  for (let n = 0; n < 99; n++) ping(socket);
  expect(socket.pauses).toBe(1);
  ping(socket);
  expect(socket.pauses).toBe(2);
});

it('no answer to a ping waits behind a client that does not read, nor behind one that is closing', () => {
  const { socket } = start();
  socket.bufferedAmount = 64 * 1024;
  for (let n = 0; n < 100; n++) ping(socket);
  expect(socket.pongs).toBe(0);
  socket.bufferedAmount = 64 * 1024 - 1;
  ping(socket);
  expect(socket.pongs).toBe(1);
  socket.readyState = 2;
  ping(socket);
  expect(socket.pongs).toBe(1);
});
