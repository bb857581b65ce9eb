import { CursorSigner } from '#libs/core/cursor.js';
import type { ChannelDefinition } from '#libs/serve/live/channel.js';
import { channelOf } from '#libs/serve/live/declared-channel.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { AnswerCache } from '../src/access/answer-cache.js';
import { ChainAccess } from '../src/access/chain-access.js';
import { channelClasses } from '../src/feature/feature.js';
import { channelDeclarationOf } from '../src/feature/live-channel.js';
import { features } from '../src/features.js';
import { LiveFeeds } from '../src/live/live-feeds.js';
import { LiveSubjects } from '../src/live/live-subjects.js';
import { MarketLists } from '../src/market/market-lists.js';

export interface LiveChannels {
  readonly definitions: readonly ChannelDefinition[];
  close(): void;
}

/** Every live channel over some chains, without the rest of the api. */
export function openLiveChannels(readers: ReadonlyMap<string, ChainReader>, identity: Uint8Array): LiveChannels {
  const feeds = new LiveFeeds(readers, () => identity);
  const access = new ChainAccess(readers);
  const subjects = new LiveSubjects(access, feeds);
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const signer = new CursorSigner(identity);
  const lists = new MarketLists(access, new AnswerCache('none', signer), signer, logger);
  const definitions = channelClasses(features).map((type) => {
    const channel = new type(subjects, lists);
    return channelOf(channelDeclarationOf(type), (parameters) => channel.resolve(parameters));
  });
  return { definitions, close: () => feeds.close() };
}
