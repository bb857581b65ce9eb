import * as ws from 'ws';
import type { OutFrame } from '#libs/serve/live/outlet.js';
import { Deflater } from './deflater.js';

/** A frame of the engine as a frame of the socket. */
export interface FramedText {
  /** Header and payload in one piece. */
  readonly whole: Buffer;
  readonly payload: Buffer;
  /** The same compressed, once a socket asked for it. */
  compressed: Buffer | Promise<Buffer> | null;
}

interface FrameOptions {
  fin: boolean;
  opcode: number;
  mask: boolean;
  rsv1: boolean;
  readOnly: boolean;
}

/** ws has it for such uses; its types do not name it. */
const { Sender } = ws as unknown as { Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] } };

/** One frame with all of a text message. `rsv1`: the payload is compressed. */
function framed(payload: Buffer, rsv1: boolean): Buffer {
  return Buffer.concat(Sender.frame(payload, { fin: true, opcode: 1, mask: false, rsv1, readOnly: false }));
}

/** A text message in one frame, not compressed. */
export function framedText(text: string): FramedText {
  const payload = Buffer.from(text, 'utf8');
  const whole = framed(payload, false);
  return { whole, payload: whole.subarray(whole.length - payload.length), compressed: null };
}

/**
 * Frames of one transport as bytes, made once for all sockets that get the same frame object, compressed ones as well, and what several
 * of them are in one piece, made once for all sockets that get the same ones in a turn. An entry lives as long as its frame.
 */
export class WebSocketFrames {
  private readonly known = new WeakMap<OutFrame, FramedText>();
  private readonly deflater = new Deflater();
  /** The one that was asked for last: a crowd asks for the same one, one after the other. */
  private newest: OutFrame | null = null;
  private newestText: FramedText | null = null;
  private joined: readonly Buffer[] = [];
  private joinedBytes: Buffer = Buffer.alloc(0);

  of(frame: OutFrame): FramedText {
    if (frame === this.newest) return this.newestText!;
    let text = this.known.get(frame);
    if (text === undefined) {
      text = framedText(frame.text);
      this.known.set(frame, text);
    }
    this.newest = frame;
    this.newestText = text;
    return text;
  }

  /** The compressed frame; one that cannot be compressed now goes out as it is. */
  compressed(text: FramedText): Buffer | Promise<Buffer> {
    text.compressed ??= this.deflater.message(text.payload).then(
      (bytes) => {
        text.compressed = framed(bytes, true);
        return text.compressed;
      },
      () => {
        text.compressed = text.whole;
        return text.whole;
      },
    );
    return text.compressed;
  }

  /** Pieces in one: the same buffer again for the same pieces. */
  join(pieces: readonly Buffer[]): Buffer {
    const { joined } = this;
    if (pieces.length === joined.length && pieces.every((piece, at) => piece === joined[at])) return this.joinedBytes;
    this.joined = pieces;
    this.joinedBytes = Buffer.concat(pieces);
    return this.joinedBytes;
  }
}
