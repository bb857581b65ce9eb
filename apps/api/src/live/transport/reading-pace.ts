import type { WebSocket } from 'ws';
import { MessageAllowance } from './message-allowance.js';

/** All 200 subscriptions at once, then so many operations a second. */
const BURST = 400;
const PER_SECOND = 100;

/** Answers to pings that may wait in the connection: a client that asks for more and reads none gets no more. */
const MOST_WAITING = 64 * 1024;

/**
 * How fast one socket is read. Messages and pings share an allowance; beyond it the socket rests. Pings are answered here and not
 * by the package ws, which would keep an answer for each ping of a client that never reads.
 */
export class ReadingPace {
  private readonly allowance: MessageAllowance;

  constructor(
    private readonly socket: WebSocket,
    now?: () => number,
  ) {
    this.allowance = new MessageAllowance(BURST, PER_SECOND, now);
    socket.on('ping', (data: Buffer) => {
      if (socket.readyState === socket.OPEN && socket.bufferedAmount < MOST_WAITING) socket.pong(data, false, ignored);
      this.count();
    });
  }

  /** Something was read. */
  count(): void {
    const wait = this.allowance.spend();
    if (wait === 0 || this.socket.isPaused) return;
    this.socket.pause();
    setTimeout(() => this.socket.resume(), wait).unref();
  }
}

/** A connection that broke meanwhile says so itself. */
const ignored = (): void => undefined;
