import type { ChannelPosition } from './channel.js';

/** What a stream is asked for: one channel, its parameters as they were given, and where the client left off. */
export interface StreamRequest {
  readonly channel: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly resume: ChannelPosition | null;
}
