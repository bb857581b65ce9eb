import type { OutFrame, Outlet } from '../outlet.js';

/** A transport that keeps what it is given until it is read. */
export class RecordingOutlet implements Outlet {
  readonly frames: OutFrame[] = [];
  /** Simulates the bytes that are not written yet. */
  buffered = 0;
  ended: { code: number; reason: string } | null = null;
  /** Set: what is sent stays in the buffer. */
  blocked = false;

  send(frame: OutFrame): void {
    this.frames.push(frame);
    if (this.blocked) this.buffered += frame.text.length;
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  end(code: number, reason: string): void {
    this.ended = { code, reason };
  }

  /** The frames since the last look, parsed. */
  take(): Record<string, unknown>[] {
    return this.frames.splice(0).map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  }

  /** Short: type and id, and the data of data frames. */
  brief(): string[] {
    return this.take().map((frame) => {
      const data = Array.isArray(frame.data) ? ` ${frame.data.join()}` : '';
      const message = frame.type === 'error' ? ` ${String(frame.code)}: ${String(frame.message)}` : '';
      return `${String(frame.type)} ${String(frame.id)}${data}${message}`;
    });
  }
}
