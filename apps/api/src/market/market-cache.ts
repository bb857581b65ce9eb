import type { HttpLogger } from '#libs/http/listener.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import { type ChainView, type Pin, pinKey } from '#libs/reader/chain-view.js';
import { MarketStates } from '#libs/reader/market-state.js';
import { type Market, readMarket } from '#libs/reader/read-market.js';

/** TTL = read time × 4, 0.5-15 s. */
const MIN_TTL_MS = 500;
const MAX_TTL_MS = 15_000;
const TTL_PER_READ_TIME = 4;
/** The market before it is shown while the next one is read, for so many TTLs. */
const SHOWN_FOR_TTLS = 3;
/** Markets of further pages that are kept. */
const PINNED = 2;

interface Kept {
  market: Market;
  /** When its reading began and how long it took, by the clock of the process. */
  at: number;
  readMs: number;
}

/**
 * The whole market of one chain, read once for all requests within its TTL. The TTL follows from the read time, so that
 * reading takes a bounded share of the machine however large the market is. While the next one is read, requests get the one
 * that is there, until `prepare` has made what they ask for of the next: where lists are asked for, none waits for a read.
 * Invariant: what it gives is the market at one view, which the market names; of one generation no older one follows.
 */
export class MarketCache {
  private newest: Kept | null = null;
  private reading: Promise<Kept> | null = null;
  private readonly pinned = new Map<string, Promise<Market>>();
  private readonly states = new MarketStates();

  constructor(
    private readonly reader: ChainReader,
    private readonly logger: HttpLogger,
    private readonly prepare: (market: Market) => Promise<void> = async () => undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The market of a moment ago, or now. Throws as the reader does when the chain cannot be served. */
  async current(): Promise<Market> {
    const view = this.reader.view();
    const { newest } = this;
    if (newest === null || !sameTables(newest.market.view, view)) return (await this.read(view)).market;
    if (newest.market.view.pin.seq === view.pin.seq || this.ageOf(newest) < 1) return newest.market;
    const reading = this.read(view);
    if (!this.mayBeShown(newest)) return (await reading).market;
    reading.catch((error: unknown) => {
      this.logger.warn({ chain: this.reader.chain.slug, err: error }, 'the market could not be read again');
    });
    return newest.market;
  }

  /** The market at a pinned view: further pages of a list. */
  at(pin: Pin): Promise<Market> {
    const view = this.reader.view(pin);
    const { newest } = this;
    if (newest !== null && sameTables(newest.market.view, view) && newest.market.view.pin.seq === pin.seq) {
      return Promise.resolve(newest.market);
    }
    const key = pinKey(view.pin);
    const known = this.pinned.get(key);
    this.pinned.delete(key);
    const market = known ?? readMarket(view, this.states);
    this.pinned.set(key, market);
    // A failed read is not kept; those that asked for it get the failure.
    if (known === undefined) market.catch(() => this.pinned.delete(key));
    this.forget();
    return market;
  }

  /** One read at a time, shared by the requests that come meanwhile. */
  private read(view: ChainView): Promise<Kept> {
    this.reading ??= this.readNow(view).finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNow(view: ChainView): Promise<Kept> {
    const at = this.now();
    const market = await readMarket(view, this.states);
    // Who is shown the market before it need not wait for this one.
    if (this.newest !== null && sameTables(this.newest.market.view, view) && this.mayBeShown(this.newest)) {
      await this.prepare(market);
    }
    const kept = { market, at, readMs: this.now() - at };
    // The page after the first is often asked for when the next market is there already.
    if (this.newest !== null && sameTables(this.newest.market.view, view)) {
      this.pinned.set(pinKey(this.newest.market.view.pin), Promise.resolve(this.newest.market));
      this.forget();
    }
    this.newest = kept;
    return kept;
  }

  /** In TTLs. */
  private ageOf({ at, readMs }: Kept): number {
    return (this.now() - at) / Math.min(Math.max(readMs * TTL_PER_READ_TIME, MIN_TTL_MS), MAX_TTL_MS);
  }

  private mayBeShown(kept: Kept): boolean {
    return this.ageOf(kept) < SHOWN_FOR_TTLS;
  }

  private forget(): void {
    for (const key of this.pinned.keys()) {
      if (this.pinned.size <= PINNED) return;
      this.pinned.delete(key);
    }
  }
}

function sameTables(a: ChainView, b: ChainView): boolean {
  return a.pin.epoch === b.pin.epoch && a.pin.generation === b.pin.generation;
}
