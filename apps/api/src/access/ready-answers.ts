import { LRUCache } from 'lru-cache';
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
  private readonly kept = new LRUCache<string, Ready>({
    ...{ max: MOST_KEPT, maxSize: MOST_BYTES },
    sizeCalculation: ({ answer }) => Math.max(answer.length, 1),
  });

  constructor(
    private readonly answers: Pick<AnswerCache, 'isCurrent'>,
    private readonly newest: (chain: string) => ChainView,
  ) {}

  find(target: string): Ready | null {
    const known = this.kept.get(target);
    if (known === undefined) return null;
    if (this.isCurrent(known.answer)) return known;
    this.kept.delete(target);
    return null;
  }

  /** Keeps an answer that would be given again. */
  put(target: string, ready: Ready): void {
    if (target.length > MOST_TARGET || !this.isCurrent(ready.answer)) return;
    this.kept.set(target, ready);
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
}
