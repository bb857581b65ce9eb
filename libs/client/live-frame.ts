import type * as protocol from '#libs/protocol/live/frames.js';

/** A frame of the protocol as a subscription of this client gets it: ids are its own, and text. */
type Of<Channel extends string, Frame> = Omit<Frame, 'id' | 'channel'> & { id: string; channel: Channel };

export type RetractedTrade = protocol.RetractedTrade;

/** `id` is null when it answers no subscription. */
export type ErrorFrame = Omit<protocol.ErrorFrame, 'id'> & { id: string | null };

export type SubscribedFrame<Channel extends string> = Of<Channel, protocol.SubscribedFrame>;

/** Frames of one trades subscription. */
export type TradesFrame =
  | SubscribedFrame<'trades'>
  /** The newest trades, newest first. */
  | Of<'trades', protocol.TradesSnapshotFrame>
  /** The trades of one block, oldest first. */
  | Of<'trades', protocol.TradesFrame>
  | Of<'trades', protocol.RetractFrame>
  | Of<'trades', protocol.LaggedFrame>
  | ErrorFrame;

/** Frames of one candles subscription. */
export type CandlesFrame =
  | SubscribedFrame<'candles'>
  /** Ascending; sent again when a correction touches more than the newest candles. */
  | Of<'candles', protocol.CandlesSnapshotFrame>
  /** Whole candles that changed or are new, ascending. */
  | Of<'candles', protocol.CandlesFrame>
  | Of<'candles', protocol.LaggedFrame>
  | ErrorFrame;

export type ChannelFrame = TradesFrame | CandlesFrame;

export type LiveFrame =
  | ChannelFrame
  | { type: 'unsubscribed'; id: string; channel: string }
  | { type: 'pong'; id: string | null };

const dataTypes: Record<string, readonly string[]> = {
  trades: ['snapshot', 'trades', 'retract'],
  candles: ['snapshot', 'candles'],
};

/**
 * A frame this client knows, or null: for text that is no frame, for a type it does not know, and for a type that its
 * channel does not have. A newer service may send more types; nothing unknown is ever taken for rows.
 */
export function parseFrame(text: string): LiveFrame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(frame)) return null;
  const { type, channel } = frame;
  const id = frame.id === undefined || frame.id === null ? null : String(frame.id);
  if (type === 'pong') return { type, id };
  if (type === 'error') {
    return typeof frame.code === 'string' && typeof frame.message === 'string'
      ? { type, id, code: frame.code, message: frame.message }
      : null;
  }
  if (id === null || typeof type !== 'string' || typeof channel !== 'string') return null;
  if (type === 'unsubscribed') return { type, id, channel };
  if (!Object.hasOwn(dataTypes, channel)) return null;
  if (type === 'subscribed') return { type, id, channel, resumed: frame.resumed === true } as LiveFrame;
  if (type === 'lagged') return { type, id, channel } as LiveFrame;
  if (!dataTypes[channel]!.includes(type)) return null;
  const { epoch, seq, data, meta } = frame;
  if (typeof epoch !== 'string' || !Number.isSafeInteger(seq) || !Array.isArray(data) || !isObject(meta)) return null;
  return { type, id, channel, epoch, seq, data, meta } as unknown as LiveFrame;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
