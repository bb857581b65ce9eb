import type { FastifyRequest } from 'fastify';
import { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { EvmQuoteParameters } from '#libs/serve/contract/rest/evm/quote-request.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { lowLiquidity, noRoute, refusedParameters, routerNotReadyError, rpc } from '../../http/router-errors.js';
import { QuoteAnswers } from '../../quotes/quote-answers.js';
import type { EvmChainServices } from '../ports.js';
import type { CachedEvmQuote } from './cached-evm-quote.js';
import type { QuoteParameters } from './price-quote.js';

export class EvmQuoteAnswers extends QuoteAnswers<QuoteParameters, EvmChainServices, CachedEvmQuote> {}

const description =
  'Priced from the pools at one block and held until `expiresAt`: send the whole object back as `quoteResponse` to build it. One venue a route, no splits, no platform fee, exact inputs only. Unknown parameters are ignored.';

/** The part of the declaration that GET and POST share. */
const quote = {
  path: '/evm/quote',
  summary: 'Quote',
  readsItself: true,
  answer: EvmQuote,
  errors: [...refusedParameters, noRoute, lowLiquidity, routerNotReadyError, rpc],
  access: 'keyed',
  cost: 'quote',
  cache: 'no-store',
} as const;

@Route({
  ...{ ...quote, id: 'getEvmQuote', method: 'GET', query: EvmQuoteParameters },
  description: `${description} A repeated parameter counts with its first value, except the lists of venues.`,
})
export class GetQuoteRoute implements RouteHandler {
  constructor(private readonly answers: EvmQuoteAnswers) {}

  handle(_input: unknown, request: FastifyRequest): Answer | Promise<Answer> {
    return this.answers.ofQuery(request);
  }
}

@Route({
  ...{ ...quote, id: 'postEvmQuote', method: 'POST', body: [EvmQuoteParameters] },
  description: `${description} The body is read as JSON whatever its content type, at most 262,144 bytes.`,
})
export class PostQuoteRoute implements RouteHandler {
  constructor(private readonly answers: EvmQuoteAnswers) {}

  handle(_input: unknown, request: FastifyRequest): Answer | Promise<Answer> {
    return this.answers.ofBody(request);
  }
}
