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
  private readonly kept = new Map<string, Buffer>();
  private held = 0;

  constructor(private readonly bounds: KeptAnswersBounds = { bytes: 32 * 1024 * 1024, each: 256 * 1024 }) {}

  get bytes(): number {
    return this.held;
  }

  get(question: string): Buffer | undefined {
    const found = this.kept.get(question);
    if (found !== undefined) {
      this.kept.delete(question);
      this.kept.set(question, found);
    }
    return found;
  }

  put(question: string, result: ByteChunks): void {
    const bytes = sizeOf(question, result);
    if (bytes > this.bounds.each || this.kept.has(question)) return;
    // A copy: the bytes of the whole exchange go.
    const copy = Buffer.concat(result.list, result.length);
    // A node that has not seen the block yet says so by an empty answer.
    if (copy.equals(NULL) || copy.equals(EMPTY_LIST)) return;
    this.kept.set(question, copy);
    this.held += bytes;
    for (const [oldest, answer] of this.kept) {
      if (this.held <= this.bounds.bytes) return;
      this.kept.delete(oldest);
      this.held -= sizeOf(oldest, answer);
    }
  }
}

/** What a map needs for an entry besides its texts, about. */
const ENTRY = 128;

const sizeOf = (question: string, answer: { readonly length: number }): number =>
  question.length * 2 + answer.length + ENTRY;
