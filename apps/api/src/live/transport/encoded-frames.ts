import type { OutFrame } from '#libs/serve/live/outlet.js';

/**
 * The bytes of frames, made once for all connections that get the same frame object. An entry lives as long as its
 * frame.
 */
export class EncodedFrames {
  private readonly known = new WeakMap<OutFrame, Buffer>();

  constructor(private readonly encode: (frame: OutFrame) => string) {}

  bytes(frame: OutFrame): Buffer {
    const known = this.known.get(frame);
    if (known !== undefined) return known;
    const bytes = Buffer.from(this.encode(frame), 'utf8');
    this.known.set(frame, bytes);
    return bytes;
  }
}

/** A frame as one event of an event stream. Frames without a place in a log carry no id: a client resumes before them. */
export function eventText({ type, epoch, seq, text }: OutFrame): string {
  const id = epoch === null || seq === null ? '' : `id: ${epoch}:${seq}\n`;
  return `event: ${type}\n${id}data: ${text}\n\n`;
}

/** What a client sends back as `Last-Event-ID`; null when it is not one of ours. */
export function parseEventId(text: string): { epoch: string; seq: number } | null {
  const colon = text.lastIndexOf(':');
  const [epoch, seq] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  if (epoch === '' || epoch.length > 200 || !/^\d{1,15}$/.test(seq)) return null;
  return { epoch, seq: Number(seq) };
}
