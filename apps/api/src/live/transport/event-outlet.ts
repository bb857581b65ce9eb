import type { ServerResponse } from 'node:http';
import { endCodes, type OutFrame, type Outlet } from '#libs/serve/live/outlet.js';
import type { EncodedFrames } from './encoded-frames.js';
import type { TransportCounters } from './transport-counters.js';

const GOODBYE_MS = 5_000;

/** A browser comes back by itself. To what is not there it comes this late, and not every other second for ever. */
const RETRY_REFUSED = 'retry: 60000\n\n';

/**
 * One event stream as the engine sees it. Frames that come before the response is there wait for it; what the client
 * does not read is counted and never waited for.
 */
export class EventOutlet implements Outlet {
  private response: ServerResponse | null = null;
  private early: Buffer[] = [];
  private earlyBytes = 0;
  private ended = false;
  private lastText = '';

  constructor(
    private readonly frames: EncodedFrames,
    private readonly counters: TransportCounters,
  ) {}

  send(frame: OutFrame): void {
    if (this.ended) return;
    const bytes = this.frames.bytes(frame);
    this.counters.framesOut++;
    this.counters.bytesOut += bytes.length;
    if (this.response !== null) this.response.write(bytes);
    else {
      this.early.push(bytes);
      this.earlyBytes += bytes.length;
    }
  }

  bufferedBytes(): number {
    return this.response === null ? this.earlyBytes : this.response.writableLength;
  }

  /** The reason was said in a frame or is the client's own slowness: an event stream has no code to close with. */
  end(code: number, _reason: string): void {
    if (this.ended) return;
    this.ended = true;
    if (code === endCodes.refused) this.lastText = RETRY_REFUSED;
    if (this.response !== null) finish(this.response, this.lastText);
  }

  /** The head of the response is sent. `firstText` goes out before everything else. */
  attach(response: ServerResponse, firstText: string): void {
    this.response = response;
    response.write(firstText);
    for (const bytes of this.early) response.write(bytes);
    this.early = [];
    if (this.ended) finish(response, this.lastText);
  }

  /** Says that the stream is alive, unless something waits to be written anyway. */
  heartbeat(): void {
    const { response } = this;
    if (response !== null && !this.ended && response.writableLength === 0) response.write(': alive\n\n');
  }
}

/** What is left is sent if the client takes it in time. */
function finish(response: ServerResponse, lastText: string): void {
  response.end(lastText);
  setTimeout(() => response.destroy(), GOODBYE_MS).unref();
}
