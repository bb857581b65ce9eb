import { TidepoolError } from '#libs/core/errors.js';

/** The store of held quotes does not answer: no quote can be held, and none that was held can be found. */
export class QuoteStoreUnavailableError extends TidepoolError {
  constructor(cause: unknown) {
    super('quote_store_unavailable', 'the store of held quotes does not answer', { cause });
    this.name = 'QuoteStoreUnavailableError';
  }
}
