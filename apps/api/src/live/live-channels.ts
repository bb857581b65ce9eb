import type { ChannelDefinition } from '#libs/live/channel.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import { ChainAccess } from '../rest/chain-access.js';
import { ChainFeed } from './chain-feed.js';
import { candlesChannel } from './channels/candles-channel.js';
import { tradesChannel } from './channels/trades-channel.js';

export interface LiveChannelsDeps {
  /** By slug, as the routes have them. */
  readonly readers: ReadonlyMap<string, ChainReader>;
  /** The same for every process that answers behind one address, another for other data: a resume holds only there. */
  readonly identity: Uint8Array;
}

export interface LiveChannels {
  readonly definitions: readonly ChannelDefinition[];
  close(): void;
}

/** Every live channel over the chains of this instance: one line a channel. */
export function createLiveChannels({ readers, identity }: LiveChannelsDeps): LiveChannels {
  const feeds = new Map([...readers].map(([slug, reader]) => [slug, new ChainFeed(reader, identity)]));
  const deps = { access: new ChainAccess(readers), feeds };
  return {
    definitions: [tradesChannel(deps), candlesChannel(deps)],
    close: () => {
      for (const feed of feeds.values()) feed.close();
    },
  };
}
