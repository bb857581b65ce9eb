import type { HttpLogger } from '#libs/http/listener.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import type { ChainView, Pin } from '#libs/reader/chain-view.js';
import { MarketStates } from '#libs/reader/market-state.js';
import { type Market, readMarket } from '#libs/reader/read-market.js';

/** A market is shared for at least so long, and for so many times what it took to read, but never longer than the most. */
const LEAST_SHARED_MS = 500;
const MOST_SHARED_MS = 15_000;
const SHARED_PER_COST = 4;
/** A read that takes longer than this is not waited for while the market before it may still be shown. */
const WAITED_FOR_MS = 300;
/** Markets of further pages that are kept. */
const PINNED = 2;

interface Kept {
  market: Market;
  /** When its reading began and how long it took, by the clock of the process. */
  at: number;
  costMs: number;
}

/**
 * The whole market of one chain, read once for all requests of a short while. How long follows from what a read costs, so
 * that reading takes a bounded share of the machine however large the market is.
 * Invariant: what it gives is the market at one view, which the market names.
 */
export class MarketBoard {
  private newest: Kept | null = null;
  private reading: Promise<Kept> | null = null;
  private readonly pinned = new Map<string, Promise<Market>>();
  private readonly states = new MarketStates();

  constructor(
    private readonly reader: ChainReader,
    private readonly logger: HttpLogger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The market of a moment ago, or now. Throws as the reader does when the chain cannot be served. */
  async current(): Promise<Market> {
    const view = this.reader.view();
    const { newest } = this;
    if (newest === null || !sameTables(newest.market.view, view)) return (await this.read(view)).market;
    const age = this.now() - newest.at;
    const shared = Math.min(Math.max(newest.costMs * SHARED_PER_COST, LEAST_SHARED_MS), MOST_SHARED_MS);
    if (newest.market.view.pin.seq === view.pin.seq || age < shared) return newest.market;
    const reading = this.read(view);
    if (newest.costMs <= WAITED_FOR_MS || age >= shared * 3) return (await reading).market;
    reading.catch((error: unknown) => {
      this.logger.warn({ chain: this.reader.chain.slug, err: error }, 'the market could not be read anew');
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
    const key = keyOf(view.pin);
    const known = this.pinned.get(key);
    this.pinned.delete(key);
    const market = known ?? readMarket(view, this.states);
    this.pinned.set(key, market);
    // A failed read is not kept; whoever asked for it is told.
    if (known === undefined) market.catch(() => this.pinned.delete(key));
    this.forget();
    return market;
  }

  /** One read at a time; whoever comes meanwhile shares it. */
  private read(view: ChainView): Promise<Kept> {
    this.reading ??= this.readNow(view).finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNow(view: ChainView): Promise<Kept> {
    const at = this.now();
    const market = await readMarket(view, this.states);
    const kept = { market, at, costMs: this.now() - at };
    // The page after the first is often asked for when the next market is there already.
    if (this.newest !== null && sameTables(this.newest.market.view, view)) {
      this.pinned.set(keyOf(this.newest.market.view.pin), Promise.resolve(this.newest.market));
      this.forget();
    }
    this.newest = kept;
    return kept;
  }

  private forget(): void {
    for (const key of this.pinned.keys()) {
      if (this.pinned.size <= PINNED) return;
      this.pinned.delete(key);
    }
  }
}

const keyOf = ({ epoch, generation, seq }: Pin): string => `${epoch}|${generation}|${seq}`;

function sameTables(a: ChainView, b: ChainView): boolean {
  return a.pin.epoch === b.pin.epoch && a.pin.generation === b.pin.generation;
}
