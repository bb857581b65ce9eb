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
  json: string;
  expiresAt: number;
}

/**
 * Held quotes of one process, as text: one flat string a quote is all that the collector has to look after. They lie in
 * the order in which they came, and lifetimes differ little: whoever holds a new one lets go of the expired at the front.
 */
export class MemoryHeldQuotes implements HeldQuotes {
  private readonly entries = new Map<string, Entry>();
  private readonly maxBytes: number;
  private readonly now: () => number;
  private held = 0;

  constructor(options: MemoryHeldQuotesOptions = {}) {
    this.maxBytes = options.maxBytes ?? MAX_BYTES;
    this.now = options.now ?? Date.now;
  }

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return this.held;
  }

  hold(quote: EvmQuote, lifetimeMs: number, json = JSON.stringify(quote)): Promise<void> {
    const now = this.now();
    this.drop(quote.quoteId);
    this.entries.set(quote.quoteId, { json, expiresAt: now + lifetimeMs });
    this.held += json.length;
    for (const [id, { expiresAt }] of this.entries) {
      if (expiresAt >= now && this.held <= this.maxBytes) break;
      this.drop(id);
    }
    return Promise.resolve();
  }

  find(quoteId: string): Promise<EvmQuote | null> {
    const entry = this.entries.get(quoteId);
    if (entry === undefined || this.now() > entry.expiresAt) return Promise.resolve(null);
    return Promise.resolve(JSON.parse(entry.json) as EvmQuote);
  }

  private drop(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    this.held -= entry.json.length;
  }
}
