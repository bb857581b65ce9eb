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

/** Quotes are written one after the other into pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
const MAX_BYTES_OF_CHARACTER = 3;

interface Entry {
  readonly id: string;
  readonly piece: Buffer;
  readonly start: number;
  readonly end: number;
  readonly expiresAt: number;
}

/**
 * Held quotes of one process, as bytes outside the heap: as objects or strings they would be most of what the collector
 * has to move. They wait in the order in which they came, and lifetimes differ little: whoever holds a new one lets go of
 * the expired at the front, and a piece goes with its last quote.
 */
export class MemoryHeldQuotes implements HeldQuotes {
  private readonly byId = new Map<string, Entry>();
  /** A queue of its own: a map that is emptied from the front and walked from there gets slow. */
  private queue: Entry[] = [];
  private first = 0;
  private readonly maxBytes: number;
  private readonly now: () => number;
  private held = 0;
  private piece: Buffer = Buffer.alloc(0);
  private used = 0;
  /** A piece whose quotes are all gone: its memory is warm. */
  private spare: Buffer | null = null;

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

  hold(quote: Pick<EvmQuote, 'quoteId'>, lifetimeMs: number, json = JSON.stringify(quote)): void {
    const now = this.now();
    const start = this.room(json.length * MAX_BYTES_OF_CHARACTER);
    const { piece } = this;
    const end = start + piece.write(json, start, 'utf8');
    this.used = end;
    const entry: Entry = { id: quote.quoteId, piece, start, end, expiresAt: now + lifetimeMs };
    this.byId.set(entry.id, entry);
    this.queue.push(entry);
    this.held += end - start;
    while (this.first < this.queue.length && (this.queue[this.first]!.expiresAt < now || this.held > this.maxBytes)) {
      this.drop(this.queue[this.first]!, this.queue[this.first + 1]?.piece);
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
    return Promise.resolve(JSON.parse(entry.piece.toString('utf8', entry.start, entry.end)) as EvmQuote);
  }

  /** Where the next quote starts. */
  private room(bytes: number): number {
    if (this.used + bytes > this.piece.length) {
      const { spare } = this;
      const reused = spare !== null && spare.length >= bytes ? spare : null;
      this.piece = reused ?? Buffer.allocUnsafeSlow(Math.max(bytes, PIECE_BYTES));
      if (reused !== null) this.spare = null;
      this.used = 0;
    }
    return this.used;
  }

  private drop(entry: Entry, nextPiece: Buffer | undefined): void {
    if (entry.piece !== nextPiece && entry.piece !== this.piece) this.spare = entry.piece;
    this.held -= entry.end - entry.start;
    // The same id held again has a newer entry of its own.
    if (this.byId.get(entry.id) === entry) this.byId.delete(entry.id);
  }
}

const COMPACT_FROM = 1_024;
/** In the place of a dropped entry, so that its piece can go before the queue is compacted. */
const GONE: Entry = { id: '', piece: Buffer.alloc(0), start: 0, end: 0, expiresAt: 0 };
