import type { FastifyRequest } from 'fastify';
import { Answer } from '#libs/http/answer.js';
import { jsonObjectBody } from '#libs/http/json-body.js';
import type { HttpLogger } from '#libs/http/listener.js';
import type { HttpRoute } from '#libs/http/routes.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import { BodySource, QuerySource } from '../../http/parameter-source.js';
import { abortAfter, withDeadline } from '../../http/request-deadline.js';
import { readyAnswer, uncachedJson } from '../../http/uncached-json.js';
import { withRetryAfter } from '../../http/with-retry-after.js';
import { type QuoteRequest, QuoteRequestCache } from '../../quotes/quote-request.js';
import { QuoteService } from '../../quotes/quote-service.js';
import type { EvmChain, EvmChainServices, ReceiptBook } from '../ports.js';
import type { CachedEvmQuote } from '../quote/cached-evm-quote.js';
import { evmPricer, type QuoteParameters } from '../quote/price-quote.js';
import { readiness } from '../readiness.js';
import { chainsAnswer, venuesAnswer } from './lists.js';
import { QuoteParameterReader } from './quote-parameters.js';
import { SwapService } from './swap-service.js';

export interface EvmRoutesDeps {
  /** Every EVM chain of the router, in the order of answers. */
  chains: readonly EvmChain[];
  held: HeldQuotes;
  receipts: ReceiptBook | null;
  logger: HttpLogger;
  /** The answer of the liveness routes. */
  health: Answer;
  /** When a request is cut; 10 s. */
  requestTimeoutMs?: number;
  /** Unix ms. */
  now?: () => number;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** The routes under `/evm`. */
export function evmRoutes(deps: EvmRoutesDeps): HttpRoute[] {
  const { chains, held, receipts, logger, health } = deps;
  const now = deps.now ?? Date.now;
  const timeoutMs = deps.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const reader = new QuoteParameterReader(chains);
  const quotes = new QuoteService<QuoteParameters, EvmChainServices, CachedEvmQuote>(evmPricer, held, now);
  const swaps = new SwapService({ reader, quotes, held, receipts, logger, now });

  const targets = new QuoteRequestCache<QuoteParameters, CachedEvmQuote>();
  const bodies = new QuoteRequestCache<QuoteParameters, CachedEvmQuote>();
  type Request = QuoteRequest<QuoteParameters, CachedEvmQuote>;
  const quote = (request: Request, startedAt: number): Answer | Promise<Answer> => {
    const made = quotes.make(request, startedAt);
    if (!(made instanceof Promise)) return uncachedJson(made.json);
    return withDeadline(timeoutMs, made).then(({ json }) => uncachedJson(json));
  };
  const swap = async (request: FastifyRequest): Promise<Answer> => {
    const startedAt = performance.now();
    const body = jsonObjectBody(request);
    const answer = await abortAfter(timeoutMs, (signal) => swaps.build(body, startedAt, signal));
    return uncachedJson(JSON.stringify(answer));
  };
  const open = (path: string, handle: HttpRoute['handle']): HttpRoute => ({ method: 'GET', path, open: true, handle });
  const keyed = (method: 'GET' | 'POST', path: string, handle: HttpRoute['handle']): HttpRoute => ({
    ...{ method, path, open: false },
    handle: withRetryAfter(handle, logger),
  });
  return [
    keyed('GET', '/evm/quote', (request) => {
      const startedAt = performance.now();
      const read = () => reader.read(new QuerySource(request.query as Query));
      return quote(targets.of(request.raw.url!, read), startedAt);
    }),
    keyed('POST', '/evm/quote', (request) => {
      const startedAt = performance.now();
      const read = () => reader.read(new BodySource(jsonObjectBody(request)));
      return quote(bodies.of(bytesOf(request.body), read), startedAt);
    }),
    keyed('POST', '/evm/swap', swap),
    keyed('POST', '/evm/swap-instructions', swap),
    keyed('GET', '/evm/venues', () => Answer.json(venuesAnswer(chains))),
    keyed('GET', '/evm/chains', () => Answer.json(chainsAnswer(chains))),
    open('/evm/health', () => health),
    open('/evm/ready', () => readyAnswer(readiness(chains, now()))),
  ];
}

/** A text for every sequence of bytes, whatever they mean. */
const bytesOf = (body: unknown): string => (Buffer.isBuffer(body) ? body.toString('latin1') : '');

type Query = Readonly<Record<string, string | string[] | undefined>>;
