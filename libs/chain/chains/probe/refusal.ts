import { TidepoolError } from '#libs/core/errors.js';

interface About {
  readonly status?: number | null;
  readonly code?: number | null;
  readonly retryAfterMs?: number | null;
}

const TOO_OFTEN = /rate.?limit|too many requests|throttl|per second|compute units per|capacity exceeded|slow down/i;

/** What a node that is measured did not do, in its own words. */
export class Refusal extends TidepoolError {
  readonly retryAfterMs: number | null;
  /** It says that it is asked too often, which says nothing about the question. */
  readonly tooOften: boolean;

  constructor(
    readonly sentence: string,
    { status = null, code = null, retryAfterMs = null }: About = {},
  ) {
    super('node_refused', sentence);
    this.retryAfterMs = retryAfterMs;
    this.tooOften = status === 429 || code === 429 || TOO_OFTEN.test(sentence);
  }
}
