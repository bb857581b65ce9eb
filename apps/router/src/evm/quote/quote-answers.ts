import type { Answer } from '#libs/serve/http/answer.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { uncachedJson } from '../../http/uncached-json.js';
import type { QuoteRequest } from '../../quotes/quote-request.js';
import type { CachedEvmQuote } from './cached-evm-quote.js';
import type { EvmQuotes, QuoteParameters } from './price-quote.js';

/** Answers quotes: at once, or, when the store of held quotes takes its time, until the deadline of the request. */
export class QuoteAnswers {
  constructor(
    private readonly quotes: EvmQuotes,
    private readonly deadline: RequestDeadline,
  ) {}

  /** `startedAt`: when the request came in, by `performance.now()`. */
  of(request: QuoteRequest<QuoteParameters, CachedEvmQuote>, startedAt: number): Answer | Promise<Answer> {
    const made = this.quotes.make(request, startedAt);
    if (!(made instanceof Promise)) return uncachedJson(made.json);
    return this.deadline.cut(made).then(({ json }) => uncachedJson(json));
  }
}
