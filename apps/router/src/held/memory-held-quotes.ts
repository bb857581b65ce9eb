import { steadyNow } from '#libs/core/steady-clock.js';
import { HeldIndex } from './held-index.js';
import { type HeldQuotes, QUOTE_ID_LENGTH } from './held-quotes.js';

export interface MemoryHeldQuotesOptions {
  /** Most bytes of quotes that are kept; above it the oldest quotes are dropped. */
  maxBytes?: number;
  /** Unix ms. */
  now?: () => number;
}

/** A quote takes 1 to 3 kB: this holds some 50,000, which is more than 1,500 a second for 30 seconds. */
const MAX_BYTES = 96 * 1024 * 1024;

/** Quotes are written one after the other into pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
const MAX_BYTES_OF_CHARACTER = 3;

/**
 * Holds the quotes of one process as bytes outside the heap (each with its id, then its text), and finds them by an index
 * of numbers: objects or strings would be most of what the garbage collector moves. Quotes are kept in the order of their
 * arrival and live about equally long: each new quote drops the expired ones at the front, and a piece is dropped with
 * its last quote.
 */
export class MemoryHeldQuotes implements HeldQuotes {
  private readonly index = new HeldIndex();
  private readonly maxBytes: number;
  private readonly now: () => number;
  private held = 0;
  /** The pieces in order; the last one is written into. Pieces are counted from the first that ever was. */
  private readonly pieces: Buffer[] = [];
  private firstPiece = 0;
  private used = 0;
  /** A piece whose quotes are all gone: its memory is warm. */
  private spare: Buffer | null = null;

  constructor(options: MemoryHeldQuotesOptions = {}) {
    this.maxBytes = options.maxBytes ?? MAX_BYTES;
    this.now = options.now ?? steadyNow;
  }

  get size(): number {
    return this.index.size;
  }

  get bytes(): number {
    return this.held;
  }

  hold(quoteId: string, json: string, lifetimeMs: number): void {
    const now = this.now();
    const { index } = this;
    const piece = this.room(QUOTE_ID_LENGTH + json.length * MAX_BYTES_OF_CHARACTER);
    const start = this.used;
    this.used += piece.write(quoteId, start, 'latin1');
    this.used += piece.write(json, this.used, 'utf8');
    index.add(quoteId, this.firstPiece + this.pieces.length - 1, start, this.used, now + lifetimeMs);
    this.held += this.used - start;
    while (index.size > 0 && (index.expiresAt(index.first) < now || this.held > this.maxBytes)) this.dropFirst();
  }

  find(quoteId: string): Promise<string | null> {
    const { index } = this;
    if (quoteId.length !== QUOTE_ID_LENGTH) return Promise.resolve(null);
    for (let entry = index.newest(quoteId); entry >= 0; entry = index.older(entry)) {
      const held = this.text(entry);
      if (!held.startsWith(quoteId)) continue;
      return Promise.resolve(this.now() > index.expiresAt(entry) ? null : held.slice(QUOTE_ID_LENGTH));
    }
    return Promise.resolve(null);
  }

  private text(entry: number): string {
    const { index } = this;
    return this.pieces[index.piece(entry) - this.firstPiece]!.toString('utf8', index.start(entry), index.end(entry));
  }

  /** The piece that the next quote is written into. */
  private room(bytes: number): Buffer {
    const last = this.pieces.at(-1);
    if (last !== undefined && this.used + bytes <= last.length) return last;
    const { spare } = this;
    const reused = spare !== null && spare.length >= bytes ? spare : null;
    const piece = reused ?? Buffer.allocUnsafeSlow(Math.max(bytes, PIECE_BYTES));
    if (reused !== null) this.spare = null;
    this.pieces.push(piece);
    this.used = 0;
    return piece;
  }

  private dropFirst(): void {
    const { index, pieces } = this;
    this.held -= index.end(index.first) - index.start(index.first);
    index.dropFirst();
    // The last piece stays, empty or not.
    const needed = index.size > 0 ? index.piece(index.first) : this.firstPiece + pieces.length - 1;
    for (; this.firstPiece < needed; this.firstPiece++) this.spare = pieces.shift()!;
  }
}
