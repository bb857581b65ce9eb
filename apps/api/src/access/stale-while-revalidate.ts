import type { HttpLogger } from '#libs/serve/http/listener.js';
import { type ChainView, pinKey, sameTables } from '#libs/serve/reader/chain-view.js';

/** TTL = read time × 4, 0.5-15 s. */
const MIN_TTL_MS = 500;
const MAX_TTL_MS = 15_000;
const TTL_PER_READ_TIME = 4;
/** A request that comes so many TTLs after a read, or later, waits for the next one: nothing asked for one meanwhile. */
const CURRENT_FOR_TTLS = 3;
/** What was read before is shown while the next one is read, if need be until it is this old. */
const SHOWN_FOR_MS = CURRENT_FOR_TTLS * MAX_TTL_MS;

interface Kept<Value> {
  value: Value;
  /** When its reading began and how long it took, by the clock of the process. */
  at: number;
  readMs: number;
}

export interface StaleWhileRevalidateOptions<Value> {
  /** The newest view; throws when the chain cannot be served. */
  view: () => ChainView;
  read: (view: ChainView) => Promise<Value>;
  /** Makes what requests ask for of a value, while they are shown the one before it. */
  prepare?: (value: Value, before: Value) => Promise<void>;
  /** A value gives way to a newer one of the same tables. */
  replaced?: (before: Value) => void;
  /** What is said of it in the log where it cannot be read again. */
  name: string;
  logger: HttpLogger;
  now?: () => number;
}

/**
 * What takes long to read of a chain, read once for all requests within its TTL. The TTL follows from the read time, so that
 * reading takes a bounded share of the machine however much there is. While the next one is read, requests get the one that is there,
 * until `prepare` has made what they ask for of the next: also where that takes much longer than the read before, as on a busy machine.
 * Invariant: a value is of one view, which it names; of one generation no older one follows.
 */
export class StaleWhileRevalidate<Value extends { readonly view: ChainView }> {
  private kept: Kept<Value> | null = null;
  private reading: Promise<Kept<Value>> | null = null;
  /** Whether what is there was current when the reading began. */
  private begunInTime = false;
  private readonly now: () => number;

  constructor(private readonly options: StaleWhileRevalidateOptions<Value>) {
    this.now = options.now ?? (() => performance.now());
  }

  /** What is there, however old, where it is of this view. */
  at({ pin }: ChainView): Value | null {
    const { kept } = this;
    return kept !== null && pinKey(kept.value.view.pin) === pinKey(pin) ? kept.value : null;
  }

  /** What was read a moment ago, or now. */
  async current(): Promise<Value> {
    const view = this.options.view();
    const { kept } = this;
    if (kept === null || !sameTables(kept.value.view.pin, view.pin)) return (await this.read(view)).value;
    if (kept.value.view.pin.seq === view.pin.seq || this.ageOf(kept) < 1) return kept.value;
    const reading = this.read(view);
    if (!this.mayBeShown(kept)) return (await reading).value;
    reading.catch((error: unknown) => {
      this.options.logger.warn({ chain: view.chain.slug, err: error }, `${this.options.name} could not be read again`);
    });
    return kept.value;
  }

  /** One read at a time, shared by the requests that come meanwhile. */
  private read(view: ChainView): Promise<Kept<Value>> {
    if (this.reading === null) {
      this.begunInTime = this.kept !== null && this.ageOf(this.kept) < CURRENT_FOR_TTLS;
      this.reading = this.readNow(view).finally(() => {
        this.reading = null;
      });
    }
    return this.reading;
  }

  private async readNow(view: ChainView): Promise<Kept<Value>> {
    const at = this.now();
    const value = await this.options.read(view);
    // Who is shown the one before it need not wait for this one.
    if (this.kept !== null && sameTables(this.kept.value.view.pin, view.pin) && this.mayBeShown(this.kept)) {
      await this.options.prepare?.(value, this.kept.value);
    }
    const kept = { value, at, readMs: this.now() - at };
    if (this.kept !== null && sameTables(this.kept.value.view.pin, view.pin)) this.options.replaced?.(this.kept.value);
    this.kept = kept;
    return kept;
  }

  /** In TTLs. */
  private ageOf({ at, readMs }: Kept<Value>): number {
    return (this.now() - at) / Math.min(Math.max(readMs * TTL_PER_READ_TIME, MIN_TTL_MS), MAX_TTL_MS);
  }

  private mayBeShown(kept: Kept<Value>): boolean {
    return this.begunInTime && this.now() - kept.at < SHOWN_FOR_MS;
  }
}
