import type { Answer } from '#libs/serve/http/answer.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { ChainUnavailableError } from '#libs/serve/reader/unavailable.js';
import type { AnswerCache } from './answer-cache.js';

interface Ready {
  readonly answer: Answer;
  /** What the last good copy of the same request is kept under. */
  readonly copyKey: string;
}

const MOST_KEPT = 5_000;
const MOST_BYTES = 32 * 1024 * 1024;
/** A longer target is not kept. */
const MOST_TARGET = 1_024;

/**
 * Answers by the target of the request line, so that a request of the same bytes within a block is not read again. Invariants: what is
 * found is what the route would answer now; a key is checked before, so that nothing is found for who may not ask.
 */
export class ReadyAnswers {
  private readonly kept = new Map<string, Ready>();
  private bytes = 0;

  constructor(
    private readonly answers: Pick<AnswerCache, 'isCurrent'>,
    private readonly newest: (chain: string) => ChainView,
  ) {}

  find(target: string): Ready | null {
    const known = this.kept.get(target);
    if (known === undefined) return null;
    if (this.isCurrent(known.answer)) return known;
    this.drop(target);
    return null;
  }

  /** Keeps an answer that would be given again. */
  put(target: string, ready: Ready): void {
    if (target.length > MOST_TARGET || !this.isCurrent(ready.answer)) return;
    this.drop(target);
    this.kept.set(target, ready);
    this.bytes += ready.answer.length;
    // The oldest are first.
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= MOST_BYTES && this.kept.size <= MOST_KEPT) return;
      this.drop(oldest);
    }
  }

  private isCurrent(answer: Answer): boolean {
    try {
      return this.answers.isCurrent(answer, this.newest);
    } catch (error) {
      // The route says so itself.
      if (error instanceof ChainUnavailableError) return false;
      throw error;
    }
  }

  private drop(target: string): void {
    const known = this.kept.get(target);
    if (known === undefined) return;
    this.kept.delete(target);
    this.bytes -= known.answer.length;
  }
}
