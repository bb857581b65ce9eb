import type { ChannelPosition, KeyDelta } from './channel.js';
import type { OutFrame } from './outlet.js';

/** Ids that are written in the same way share one text; more than so many different ones are not remembered. */
const MOST_TEXTS = 64;

/**
 * A data frame of one key. Its payload is encoded once; only the small head with the id of a subscription differs, and
 * subscribers with the same id get the same object.
 */
export class KeyFrame {
  readonly type: string;
  /** What a subscription remembers of it: not its text, which may be long. */
  readonly place: ChannelPosition;
  /** Place of the frame of the same position that this one follows. */
  readonly after: ChannelPosition | null;
  private readonly tail: string;
  private readonly texts = new Map<string, OutFrame>();

  constructor(channel: string, { type, epoch, seq, data, extraFields, meta }: KeyDelta, after: KeyFrame | null = null) {
    this.type = type;
    this.place = { epoch, seq };
    this.after = after?.place ?? null;
    const whole = JSON.stringify({ channel, epoch, seq, data, ...extraFields, meta });
    this.tail = `,${whole.slice(1)}`;
  }

  /** Characters of the payload. */
  get size(): number {
    return this.tail.length;
  }

  /** `id` as JSON. */
  for(id: string): OutFrame {
    const known = this.texts.get(id);
    if (known !== undefined) return known;
    const { type, place } = this;
    const frame: OutFrame = { type, ...place, text: `{"type":"${type}","id":${id}${this.tail}` };
    if (this.texts.size < MOST_TEXTS) this.texts.set(id, frame);
    return frame;
  }
}

/** A frame without data. `id` as JSON. */
export function controlFrame(type: string, id: string, fields: object = {}): OutFrame {
  const rest = JSON.stringify(fields).slice(1);
  const text = `{"type":"${type}","id":${id}${rest === '}' ? '}' : `,${rest}`}`;
  return { type, epoch: null, seq: null, text };
}
