import type { ChannelPosition, KeyDelta, KeySink, KeySnapshot, KeySource, Pending } from '#libs/serve/live/channel.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import type { ChainFeed, FeedInterest, FeedListener } from './chain-feed.js';
import { KeySnapshots } from './key-snapshots.js';

/** A key of a channel that hears of the blocks of one chain, from its opening to its end. */
export abstract class FeedKey implements KeySource, FeedListener {
  protected readonly snapshots = new KeySnapshots();
  private readonly stop: () => void;

  constructor(
    protected readonly feed: ChainFeed,
    protected readonly sink: KeySink,
    interest: FeedInterest,
  ) {
    this.stop = feed.add(interest, this);
  }

  abstract snapshot(discarded: boolean): Pending<KeySnapshot>;
  abstract since(from: ChannelPosition): Pending<KeyDelta[]> | null;
  abstract onGroup(entry: TailEntry): void;
  abstract onReset(): void;

  onAvailable(): void {
    this.sink.available();
  }

  close(): void {
    this.stop();
  }
}
