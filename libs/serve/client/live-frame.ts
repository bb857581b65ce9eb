import type * as protocol from '#libs/serve/contract/live/frames.js';
import { type LiveChannels, liveFrames, liveObjects } from './generated/api.js';

/** A frame of the protocol as a subscription of this client gets it: ids are its own, and text. */
type Of<Channel extends string, Frame> = Omit<Frame, 'id' | 'channel'> & { id: string; channel: Channel };

/** `id` is null when it answers no subscription. */
export type ErrorFrame = Omit<protocol.ErrorFrame, 'id'> & { id: string | null };

type SubscribedFrame<Channel extends string> = Of<Channel, protocol.SubscribedFrame>;

/** The frames with rows that a channel declares. */
type RowFrame<Channel extends keyof LiveChannels> = {
  [Type in keyof LiveChannels[Channel]['frames']]: Of<Channel, LiveChannels[Channel]['frames'][Type]>;
}[keyof LiveChannels[Channel]['frames']];

/** Frames of one subscription of a channel. */
export type FrameOfChannel<Channel extends keyof LiveChannels> =
  | SubscribedFrame<Channel>
  | RowFrame<Channel>
  | Of<Channel, protocol.LaggedFrame>
  | ErrorFrame;

export type TradesFrame = FrameOfChannel<'trades'>;
export type CandlesFrame = FrameOfChannel<'candles'>;

export type ChannelFrame = { [Channel in keyof LiveChannels]: FrameOfChannel<Channel> }[keyof LiveChannels];

export type LiveFrame =
  | ChannelFrame
  | { type: 'unsubscribed'; id: string; channel: string }
  | { type: 'pong'; id: string | null };

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
  if (!isChannel(channel)) return null;
  if (type === 'subscribed') return { type, id, channel, resumed: frame.resumed === true } as LiveFrame;
  if (type === 'lagged') return { type, id, channel } as LiveFrame;
  if (!liveFrames[channel].includes(type)) return null;
  const { epoch, seq, data, meta } = frame;
  const isData = liveObjects[channel].includes(type) ? data === null || isObject(data) : Array.isArray(data);
  if (typeof epoch !== 'string' || !Number.isSafeInteger(seq) || !isData || !isObject(meta)) return null;
  return { ...frame, id } as unknown as LiveFrame;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isChannel = (name: string): name is keyof LiveChannels => Object.hasOwn(liveFrames, name);
