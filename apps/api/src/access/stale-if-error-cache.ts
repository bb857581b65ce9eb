import { LRUCache } from 'lru-cache';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import { Answer } from '#libs/serve/http/answer.js';
import type { RouteReply } from '#libs/serve/http/declared-route.js';

const KEPT_MS = 120_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_KEPT = 5_000;

/** How a route with a body of its own for refusals says that the tables did not answer. */
export class TablesFailed extends Answer {
  constructor(
    readonly failure: StoreError,
    { body, contentType, headers, status }: Answer,
  ) {
    super(body, contentType, null, headers, status);
  }
}

interface Kept {
  answer: Answer;
  at: number;
}

/**
 * The newest good answer of each request, for while the tables do not answer. Invariants: no copy is older than two minutes; a page
 * after the first has none, since it belongs to the view that its cursor names.
 */
export class StaleIfErrorCache {
  private readonly kept = new LRUCache<string, Kept>({
    ...{ max: MOST_KEPT, maxSize: MOST_BYTES },
    sizeCalculation: ({ answer }) => Math.max(answer.length, 1),
  });

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** What `work` answers; where it fails because of the tables, the copy, or else the failure. */
  async or(key: string, work: () => RouteReply, served: (error: StoreError) => void): Promise<Awaited<RouteReply>> {
    let answer: Awaited<RouteReply>;
    try {
      answer = await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const copy = this.copyOf(key);
      if (copy === null) throw error;
      served(error);
      return copy;
    }
    if (answer instanceof TablesFailed) {
      const copy = this.copyOf(key);
      if (copy === null) return answer;
      served(answer.failure);
      return copy;
    }
    if (answer instanceof Answer && answer.status === 200 && answer.etag !== null) this.keep(key, answer);
    return answer;
  }

  private copyOf(key: string): Answer | null {
    const known = this.kept.get(key);
    return known === undefined || this.now() - known.at > KEPT_MS ? null : known.answer;
  }

  /** The answer is good now. */
  keep(key: string, answer: Answer): void {
    this.kept.set(key, { answer, at: this.now() });
  }
}
