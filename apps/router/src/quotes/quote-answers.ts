import type { FastifyRequest } from 'fastify';
import type { Answer } from '#libs/serve/http/answer.js';
import { jsonObjectBody } from '#libs/serve/http/json-body.js';
import { BodySource, type ParameterSource, QuerySource } from '../http/parameter-source.js';
import type { RequestDeadline } from '../http/request-deadline.js';
import { uncachedJson } from '../http/uncached-json.js';
import type { CachedQuote } from './cached-quote.js';
import { type QuoteRequest, QuoteRequestCache } from './quote-request.js';
import type { QuoteService } from './quote-service.js';

type Query = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Answers the quotes of one chain family: at once, or, when the store of held quotes takes its time, until the deadline of the
 * request. A repeated request is recognized by its target, or by the bytes of its body, and not read again.
 */
export class QuoteAnswers<P, S, Q extends CachedQuote<S>> {
  private readonly targets = new QuoteRequestCache<P, Q>();
  private readonly bodies = new QuoteRequestCache<P, Q>();

  constructor(
    private readonly reader: { read(source: ParameterSource): P },
    private readonly quotes: QuoteService<P, S, Q>,
    private readonly deadline: RequestDeadline,
    /** What a refusal becomes once the parameters were read. */
    private readonly refusalOf: (error: unknown) => unknown = (error) => error,
  ) {}

  ofQuery({ query, raw }: FastifyRequest): Answer | Promise<Answer> {
    const startedAt = performance.now();
    const read = () => this.reader.read(new QuerySource(query as Query));
    return this.answer(this.targets.of(raw.url!, read), startedAt);
  }

  ofBody(request: FastifyRequest): Answer | Promise<Answer> {
    const startedAt = performance.now();
    const read = () => this.reader.read(new BodySource(jsonObjectBody(request)));
    return this.answer(this.bodies.of(bytesOf(request.body), read), startedAt);
  }

  /** `startedAt`: when the request came in, by `performance.now()`. */
  private answer(request: QuoteRequest<P, Q>, startedAt: number): Answer | Promise<Answer> {
    try {
      const made = this.quotes.make(request, startedAt);
      if (!(made instanceof Promise)) return uncachedJson(made.json);
      return this.deadline.cut(made).then(
        ({ json }) => uncachedJson(json),
        (error: unknown) => {
          throw this.refusalOf(error);
        },
      );
    } catch (error) {
      throw this.refusalOf(error);
    }
  }
}

/** A text for every sequence of bytes, whatever they mean. */
const bytesOf = (body: unknown): string => (Buffer.isBuffer(body) ? body.toString('latin1') : '');
