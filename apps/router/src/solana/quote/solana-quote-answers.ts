import type { Answer } from '#libs/serve/http/answer.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { uncachedJson } from '../../http/uncached-json.js';
import type { QuoteRequest } from '../../quotes/quote-request.js';
import { withQuoteId } from '../solana-errors.js';
import type { CachedSolanaQuote } from './cached-solana-quote.js';
import type { SolanaQuotes } from './price-solana-quote.js';
import type { SolanaQuoteParameters } from './quote-parameters.js';

/** Answers quotes. The parameters were read before, so every refusal carries an id, as a quote would. */
export class SolanaQuoteAnswers {
  constructor(
    private readonly quotes: SolanaQuotes,
    private readonly deadline: RequestDeadline,
  ) {}

  /** `startedAt`: when the request came in, by `performance.now()`. */
  of(request: QuoteRequest<SolanaQuoteParameters, CachedSolanaQuote>, startedAt: number): Answer | Promise<Answer> {
    try {
      const made = this.quotes.make(request, startedAt);
      if (!(made instanceof Promise)) return uncachedJson(made.json);
      return this.deadline.cut(made).then(({ json }) => uncachedJson(json), refuse);
    } catch (error) {
      return refuse(error);
    }
  }
}

const refuse = (error: unknown): never => {
  throw withQuoteId(error);
};
