import { LRUCache } from 'lru-cache';
import type { ByteChunks } from '#libs/core/byte-chunks.js';

const NULL = Buffer.from('null');
const EMPTY_LIST = Buffer.from('[]');

export interface KeptAnswersBounds {
  readonly bytes: number;
  /** A larger answer, or one to a longer question, is not kept. */
  readonly each: number;
}

/** Answers that stay the same for ever, by their question; what was used longest ago goes first. */
export class KeptAnswers {
  private readonly kept: LRUCache<string, Buffer>;

  constructor(private readonly bounds: KeptAnswersBounds = { bytes: 32 * 1024 * 1024, each: 256 * 1024 }) {
    this.kept = new LRUCache({
      maxSize: bounds.bytes,
      sizeCalculation: (answer, question) => sizeOf(question, answer),
    });
  }

  get bytes(): number {
    return this.kept.calculatedSize;
  }

  get(question: string): Buffer | undefined {
    return this.kept.get(question);
  }

  put(question: string, result: ByteChunks): void {
    if (sizeOf(question, result) > this.bounds.each || this.kept.has(question)) return;
    // A copy: the bytes of the whole exchange go.
    const copy = Buffer.concat(result.list, result.length);
    // A node that has not seen the block yet says so by an empty answer.
    if (copy.equals(NULL) || copy.equals(EMPTY_LIST)) return;
    this.kept.set(question, copy);
  }
}

/** What a map needs for an entry besides its texts, about. */
const ENTRY = 128;

const sizeOf = (question: string, answer: { readonly length: number }): number =>
  question.length * 2 + answer.length + ENTRY;
