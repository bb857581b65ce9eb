import type { FastifyRequest } from 'fastify';
import { EvmQuoteParameters } from '#libs/serve/contract/rest/evm/quote-request.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { QuerySource } from '../../http/parameter-source.js';
import { QuoteRequestCache } from '../../quotes/quote-request.js';
import type { CachedEvmQuote } from './cached-evm-quote.js';
import type { QuoteParameters } from './price-quote.js';
import { QuoteAnswers } from './quote-answers.js';
import { quoteDeclaration, quoteDescription } from './quote-declaration.js';
import { QuoteParameterReader } from './quote-parameters.js';

const declaration = declareRoute({
  ...quoteDeclaration,
  id: 'getEvmQuote',
  method: 'GET',
  description: `${quoteDescription} A repeated parameter counts with its first value, except the lists of venues.`,
  query: EvmQuoteParameters,
});

/** Recognizes a repeated request by its target. */
@Route(declaration)
export class GetQuoteRoute implements RouteHandler {
  private readonly targets = new QuoteRequestCache<QuoteParameters, CachedEvmQuote>();

  constructor(
    private readonly reader: QuoteParameterReader,
    private readonly answers: QuoteAnswers,
  ) {}

  handle(_input: unknown, request: FastifyRequest): Answer | Promise<Answer> {
    const startedAt = performance.now();
    const read = () => this.reader.read(new QuerySource(request.query as Query));
    return this.answers.of(this.targets.of(request.raw.url!, read), startedAt);
  }
}

type Query = Readonly<Record<string, string | string[] | undefined>>;
