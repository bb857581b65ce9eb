import { TidepoolError } from '#libs/core/errors.js';

/** The store of held quotes does not answer: nothing can be promised, and nothing that was promised can be found. */
export class HeldQuotesAwayError extends TidepoolError {
  constructor(cause: unknown) {
    super('held_quotes_away', 'the store of held quotes does not answer', { cause });
    this.name = 'HeldQuotesAwayError';
  }
}
