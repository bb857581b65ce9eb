import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { ChainFeed } from './chain-feed.js';

/** One feed a chain of this instance, for as long as the api runs. */
export class LiveFeeds {
  private readonly feeds: ReadonlyMap<string, ChainFeed>;

  /** `identity`: the same for every process that answers behind one address, another for other data: a resume holds only there. */
  constructor(readers: ReadonlyMap<string, ChainReader>, identity: () => Uint8Array) {
    this.feeds = new Map([...readers].map(([slug, reader]) => [slug, new ChainFeed(reader, identity)]));
  }

  of(slug: string): ChainFeed {
    const feed = this.feeds.get(slug);
    if (feed === undefined) throw new Error(`chain ${slug} has no feed`);
    return feed;
  }

  close(): void {
    for (const feed of this.feeds.values()) feed.close();
  }
}
