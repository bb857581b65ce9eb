import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { HeldQuotes } from '../ports.js';

export interface MemoryHeldQuotesOptions {
  /** Most bytes of quotes that are kept; when they are reached the oldest go first. */
  maxBytes?: number;
  /** Unix ms. */
  now?: () => number;
}

/** A quote takes 1 to 3 kB: this holds some 50,000, which is more than 1,500 a second for 30 seconds. */
const MAX_BYTES = 96 * 1024 * 1024;

interface Entry {
  readonly id: string;
  readonly json: string;
  readonly expiresAt: number;
}

/**
 * Held quotes of one process, as text: one flat string a quote is all that the collector has to look after. They wait in
 * the order in which they came, and lifetimes differ little: whoever holds a new one lets go of the expired at the front.
 */
export class MemoryHeldQuotes implements HeldQuotes {
  private readonly byId = new Map<string, Entry>();
  /** A queue of its own: a map that is emptied from the front and walked from there gets slow. */
  private queue: Entry[] = [];
  private first = 0;
  private readonly maxBytes: number;
  private readonly now: () => number;
  private held = 0;

  constructor(options: MemoryHeldQuotesOptions = {}) {
    this.maxBytes = options.maxBytes ?? MAX_BYTES;
    this.now = options.now ?? Date.now;
  }

  get size(): number {
    return this.queue.length - this.first;
  }

  get bytes(): number {
    return this.held;
  }

  hold(quote: EvmQuote, lifetimeMs: number, json = JSON.stringify(quote)): void {
    const now = this.now();
    const entry: Entry = { id: quote.quoteId, json, expiresAt: now + lifetimeMs };
    this.byId.set(entry.id, entry);
    this.queue.push(entry);
    this.held += json.length;
    while (this.first < this.queue.length && (this.queue[this.first]!.expiresAt < now || this.held > this.maxBytes)) {
      this.drop(this.queue[this.first]!);
      this.queue[this.first++] = GONE;
    }
    if (this.first >= COMPACT_FROM && this.first * 2 >= this.queue.length) {
      this.queue = this.queue.slice(this.first);
      this.first = 0;
    }
  }

  find(quoteId: string): Promise<EvmQuote | null> {
    const entry = this.byId.get(quoteId);
    if (entry === undefined || this.now() > entry.expiresAt) return Promise.resolve(null);
    return Promise.resolve(JSON.parse(entry.json) as EvmQuote);
  }

  private drop(entry: Entry): void {
    this.held -= entry.json.length;
    // The same id held again has a newer entry of its own.
    if (this.byId.get(entry.id) === entry) this.byId.delete(entry.id);
  }
}

const COMPACT_FROM = 1_024;
/** In the place of a dropped entry, so that its text can go before the queue is compacted. */
const GONE: Entry = { id: '', json: '', expiresAt: 0 };
