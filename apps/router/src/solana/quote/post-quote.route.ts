import type { FastifyRequest } from 'fastify';
import { SolQuoteParameters } from '#libs/serve/contract/rest/solana/quote-request.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { jsonObjectBody } from '#libs/serve/http/json-body.js';
import { BodySource } from '../../http/parameter-source.js';
import { QuoteRequestCache } from '../../quotes/quote-request.js';
import type { CachedSolanaQuote } from './cached-solana-quote.js';
import { quoteDeclaration, quoteDescription } from './quote-declaration.js';
import { SolanaParameterReader, type SolanaQuoteParameters } from './quote-parameters.js';
import { SolanaQuoteAnswers } from './solana-quote-answers.js';

const declaration = declareRoute({
  ...quoteDeclaration,
  id: 'postSolQuote',
  method: 'POST',
  description: `${quoteDescription} The body is read as JSON whatever its content type, at most 262,144 bytes.`,
  body: [SolQuoteParameters],
});

/** Recognizes a repeated request by the bytes of its body. */
@Route(declaration)
export class PostSolanaQuoteRoute implements RouteHandler {
  private readonly bodies = new QuoteRequestCache<SolanaQuoteParameters, CachedSolanaQuote>();

  constructor(
    private readonly reader: SolanaParameterReader,
    private readonly answers: SolanaQuoteAnswers,
  ) {}

  handle(_input: unknown, request: FastifyRequest): Answer | Promise<Answer> {
    const startedAt = performance.now();
    const read = () => this.reader.read(new BodySource(jsonObjectBody(request)));
    return this.answers.of(this.bodies.of(bytesOf(request.body), read), startedAt);
  }
}

/** A text for every sequence of bytes, whatever they mean. */
const bytesOf = (body: unknown): string => (Buffer.isBuffer(body) ? body.toString('latin1') : '');
