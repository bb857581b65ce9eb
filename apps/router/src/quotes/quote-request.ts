import type { QuoteParameters } from '../evm/quote/quote-parameters.js';
import type { CachedQuote } from './cached-quote.js';

/** What is asked for, and what was answered to it the last time. */
export class Question {
  standing: CachedQuote | null = null;

  constructor(readonly parameters: QuoteParameters) {}
}

/** Questions of one generation. */
const MOST = 1_024;
/** Longer texts are read each time. */
const MAX_LENGTH = 1_000;

/**
 * Questions by the very text that asked them (a target, or the bytes of a body): who polls a price sends the same bytes
 * again. Only what was read without a complaint is known, and what is read depends on nothing but the text. Bounded by
 * two generations: what was not asked while the younger one filled up is forgotten.
 */
export class QuoteRequestCache {
  private young = new Map<string, Question>();
  private old = new Map<string, Question>();

  get size(): number {
    return this.young.size + this.old.size;
  }

  of(text: string, read: () => QuoteParameters): Question {
    if (text.length > MAX_LENGTH) return new Question(read());
    const known = this.young.get(text);
    if (known !== undefined) return known;
    const question = this.old.get(text) ?? new Question(read());
    if (this.young.size >= MOST) {
      this.old = this.young;
      this.young = new Map();
    }
    this.old.delete(text);
    this.young.set(text, question);
    return question;
  }
}
