import * as ws from 'ws';
import type { OutFrame } from '#libs/live/outlet.js';

/** Where the live interface is: `io('http://…/live')`. */
export const NAMESPACE = '/live';

/** A packet, as text and as the frame of the socket that carries it. */
export interface EncodedPacket {
  readonly text: string;
  readonly parts: readonly Buffer[];
  readonly bytes: number;
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

const AS_TEXT: FrameOptions = { fin: true, opcode: 1, mask: false, rsv1: false, readOnly: false };

/** An event of the namespace; `body` is JSON. */
export function eventPacket(event: string, body: string): EncodedPacket {
  const text = `2${NAMESPACE},["${event}",${body}]`;
  const parts = Sender.frame(Buffer.from(`4${text}`), AS_TEXT);
  return { text, parts, bytes: parts.reduce((all, { length }) => all + length, 0) };
}

/** Packets of frames, made once for all connections that get the same frame object. An entry lives as long as its frame. */
export class PacketFrames {
  private readonly known = new WeakMap<OutFrame, EncodedPacket>();

  packet(frame: OutFrame): EncodedPacket {
    const known = this.known.get(frame);
    if (known !== undefined) return known;
    const packet = eventPacket('frame', frame.text);
    this.known.set(frame, packet);
    return packet;
  }
}
