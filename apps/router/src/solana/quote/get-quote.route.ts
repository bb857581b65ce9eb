import type { FastifyRequest } from 'fastify';
import { SolQuoteParameters } from '#libs/serve/contract/rest/solana/quote-request.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { QuerySource } from '../../http/parameter-source.js';
import { QuoteRequestCache } from '../../quotes/quote-request.js';
import type { CachedSolanaQuote } from './cached-solana-quote.js';
import { quoteDeclaration, quoteDescription } from './quote-declaration.js';
import { SolanaParameterReader, type SolanaQuoteParameters } from './quote-parameters.js';
import { SolanaQuoteAnswers } from './solana-quote-answers.js';

const declaration = declareRoute({
  ...quoteDeclaration,
  id: 'getSolQuote',
  method: 'GET',
  description: `${quoteDescription} A repeated parameter counts with its first value, except the lists of venues.`,
  query: SolQuoteParameters,
});

/** Recognizes a repeated request by its target. */
@Route(declaration)
export class GetSolanaQuoteRoute implements RouteHandler {
  private readonly targets = new QuoteRequestCache<SolanaQuoteParameters, CachedSolanaQuote>();

  constructor(
    private readonly reader: SolanaParameterReader,
    private readonly answers: SolanaQuoteAnswers,
  ) {}

  handle(_input: unknown, request: FastifyRequest): Answer | Promise<Answer> {
    const startedAt = performance.now();
    const read = () => this.reader.read(new QuerySource(request.query as Query));
    return this.answers.of(this.targets.of(request.raw.url!, read), startedAt);
  }
}

type Query = Readonly<Record<string, string | string[] | undefined>>;
