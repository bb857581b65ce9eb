import type { OutFrame } from '#libs/serve/live/outlet.js';
import { framedText } from '../web-socket-frames.js';

/** Where the live interface is: `io('http://…/live')`. */
export const NAMESPACE = '/live';

/** A packet, as text and as the frame of the socket that carries it. */
export interface EncodedPacket {
  readonly text: string;
  readonly parts: readonly Buffer[];
  readonly bytes: number;
}

/** An event of the namespace; `body` is JSON. */
export function eventPacket(event: string, body: string): EncodedPacket {
  const text = `2${NAMESPACE},["${event}",${body}]`;
  const { whole } = framedText(`4${text}`);
  return { text, parts: [whole], bytes: whole.length };
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
