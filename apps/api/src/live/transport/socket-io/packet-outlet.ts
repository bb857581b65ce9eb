import type { Socket } from 'socket.io';
import type { WebSocket } from 'ws';
import type { OutFrame, Outlet } from '#libs/serve/live/outlet.js';
import { endCodes } from '#libs/serve/live/outlet.js';
import type { TransportCounters } from '../transport-counters.js';
import { type EncodedPacket, eventPacket, type PacketFrames } from './packet-frames.js';

const GOODBYE_MS = 5_000;

/**
 * One socket.io connection as the engine sees it. What was given to socket.io and not yet taken by the kernel is counted, in
 * whichever of its buffers it waits.
 */
export class PacketOutlet implements Outlet {
  /** Called when nothing waits to be written any more. */
  onDrained: () => void = () => undefined;
  private waiting = 0;

  constructor(
    private readonly client: Socket,
    private readonly socket: WebSocket,
    private readonly frames: PacketFrames,
    private readonly counters: TransportCounters,
  ) {}

  send(frame: OutFrame): void {
    const packet = this.frames.packet(frame);
    this.counters.framesOut++;
    this.counters.bytesOut += packet.bytes;
    this.write(packet);
  }

  bufferedBytes(): number {
    return this.waiting;
  }

  /** Says why, then breaks off: a client of socket.io connects again by itself, unless the server said goodbye. */
  end(code: number, reason: string): void {
    const { client, socket } = this;
    this.write(eventPacket('end', JSON.stringify({ code, reason })));
    if (MAY_RETURN.has(code)) client.conn.close(code === endCodes.slow);
    else client.disconnect(true);
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
  }

  private write({ text, parts, bytes }: EncodedPacket): void {
    this.waiting += bytes;
    const options = { compress: false, wsPreEncodedFrame: parts };
    this.client.conn.write(text, options as { compress: boolean }, () => {
      this.waiting -= bytes;
      if (this.waiting === 0) this.onDrained();
    });
  }
}

const MAY_RETURN: ReadonlySet<number> = new Set([endCodes.restart, endCodes.slow]);
