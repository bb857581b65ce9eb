import type { FastifyRequest } from 'fastify';
import { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import { SolQuoteParameters } from '#libs/serve/contract/rest/solana/quote-request.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { QuoteAnswers } from '../../quotes/quote-answers.js';
import type { ReadySolana } from '../readiness.js';
import { quoteErrors } from '../solana-errors.js';
import type { CachedSolanaQuote } from './cached-solana-quote.js';
import type { SolanaQuoteParameters } from './quote-parameters.js';

export class SolanaQuoteAnswers extends QuoteAnswers<SolanaQuoteParameters, ReadySolana, CachedSolanaQuote> {}

const description =
  'By Jupiter’s parameters and in its shape, priced to the unit from the pools as they were last read and held until `expiresAt`: send the whole object back as `quoteResponse` to build it. Routes go over the venues that have a live row in the config of the deployed swap program; a large amount may be split over several paths. Unknown parameters are ignored.';

/** The part of the declaration that GET and POST share. */
const quote = {
  path: '/quote',
  summary: 'Quote on Solana',
  readsItself: true,
  answer: SolQuote,
  errors: quoteErrors,
  access: 'keyed',
  cost: 'quote',
  cache: 'no-store',
} as const;

@Route({
  ...{ ...quote, id: 'getSolQuote', method: 'GET', query: SolQuoteParameters },
  description: `${description} A repeated parameter counts with its first value, except the lists of venues.`,
})
export class GetSolanaQuoteRoute implements RouteHandler {
  constructor(private readonly answers: SolanaQuoteAnswers) {}

  handle(_input: unknown, request: FastifyRequest): Answer | Promise<Answer> {
    return this.answers.ofQuery(request);
  }
}

@Route({
  ...{ ...quote, id: 'postSolQuote', method: 'POST', body: [SolQuoteParameters] },
  description: `${description} The body is read as JSON whatever its content type, at most 262,144 bytes.`,
})
export class PostSolanaQuoteRoute implements RouteHandler {
  constructor(private readonly answers: SolanaQuoteAnswers) {}

  handle(_input: unknown, request: FastifyRequest): Answer | Promise<Answer> {
    return this.answers.ofBody(request);
  }
}
