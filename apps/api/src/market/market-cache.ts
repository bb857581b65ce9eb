import { LRUCache } from 'lru-cache';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { type Pin, pinKey } from '#libs/serve/reader/chain-view.js';
import { MarketStates } from '#libs/serve/reader/market-state.js';
import { type Market, readMarket } from '#libs/serve/reader/read-market.js';
import { StaleWhileRevalidate } from '../access/stale-while-revalidate.js';

/** Markets of further pages that are kept. */
const PINNED = 2;

/**
 * The whole market of one chain: the newest one as `StaleWhileRevalidate` keeps it, where lists are asked for none waits for a read; and those
 * that further pages are pinned to.
 */
export class MarketCache {
  private readonly kept: StaleWhileRevalidate<Market>;
  private readonly pinned = new LRUCache<string, Promise<Market>>({ max: PINNED });
  private readonly states = new MarketStates();

  constructor(
    private readonly reader: ChainReader,
    logger: HttpLogger,
    prepare: (market: Market) => Promise<void> = async () => undefined,
    now: () => number = () => performance.now(),
  ) {
    this.kept = new StaleWhileRevalidate({
      view: () => reader.view(),
      read: (view) => readMarket(view, this.states),
      prepare,
      // The page after the first is often asked for when the next market is there already.
      replaced: (before) => this.pinned.set(pinKey(before.view.pin), Promise.resolve(before)),
      ...{ name: 'the market', logger, now },
    });
  }

  /** The market of a moment ago, or now. Throws as the reader does when the chain cannot be served. */
  current(): Promise<Market> {
    return this.kept.current();
  }

  /** The market at a pinned view: further pages of a list. */
  at(pin: Pin): Promise<Market> {
    const view = this.reader.view(pin);
    const newest = this.kept.at(view);
    if (newest !== null) return Promise.resolve(newest);
    const key = pinKey(view.pin);
    const known = this.pinned.get(key);
    if (known !== undefined) return known;
    const market = readMarket(view, this.states);
    this.pinned.set(key, market);
    // A failed read is not kept; those that asked for it get the failure.
    market.catch(() => this.pinned.delete(key));
    return market;
  }
}
