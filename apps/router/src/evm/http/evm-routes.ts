import type { FastifyRequest } from 'fastify';
import { Answer, JSON_TYPE } from '#libs/http/answer.js';
import { jsonObjectBody } from '#libs/http/json-body.js';
import type { HttpLogger } from '#libs/http/listener.js';
import { HttpProblem } from '#libs/http/problem.js';
import type { HttpRoute } from '#libs/http/routes.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import { BodySource, QuerySource } from '../../http/parameter-source.js';
import { abortAfter, withDeadline } from '../../http/request-deadline.js';
import { RETRY_LATER } from '../../http/router-problem.js';
import { type Question, QuoteRequestCache } from '../../quotes/quote-request.js';
import type { EvmChain, ReceiptBook } from '../ports.js';
import { QuoteParameterReader } from '../quote/quote-parameters.js';
import { QuoteService } from '../quote/quote-service.js';
import { chainsAnswer, venuesAnswer } from './lists.js';
import { readiness } from './readiness.js';
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
/** A quote is another one a moment later. */
const NO_STORE = { 'cache-control': 'no-store' } as const;

/** The routes under `/evm`. */
export function evmRoutes(deps: EvmRoutesDeps): HttpRoute[] {
  const { chains, held, receipts, logger, health } = deps;
  const now = deps.now ?? Date.now;
  const timeoutMs = deps.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const reader = new QuoteParameterReader(chains);
  const quotes = new QuoteService(held, now);
  const swaps = new SwapService({ reader, quotes, held, receipts, logger, now });

  const targets = new QuoteRequestCache();
  const bodies = new QuoteRequestCache();
  const quote = (question: Question, startedAt: number): Answer | Promise<Answer> => {
    const made = quotes.make(question, startedAt);
    if (!(made instanceof Promise)) return quick(made.json);
    return withDeadline(timeoutMs, made).then(({ json }) => quick(json));
  };
  const swap = async (request: FastifyRequest): Promise<Answer> => {
    const startedAt = performance.now();
    const body = jsonObjectBody(request);
    const answer = await abortAfter(timeoutMs, (signal) => swaps.build(body, startedAt, signal));
    return quick(JSON.stringify(answer));
  };
  const open = (path: string, handle: HttpRoute['handle']): HttpRoute => ({ method: 'GET', path, open: true, handle });
  const keyed = (method: 'GET' | 'POST', path: string, handle: HttpRoute['handle']): HttpRoute => ({
    ...{ method, path, open: false },
    handle: (request) => told(request, logger, handle),
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

/** An answer for one caller and one moment: never compressed, tagged or kept. */
const quick = (json: string): Answer => new Answer(json, JSON_TYPE, null, NO_STORE, 200, false);

/** 200 or 503 with the same body: what a load balancer asks. */
export const readyAnswer = (body: { ready: boolean }): Answer =>
  new Answer(
    Buffer.from(JSON.stringify(body), 'utf8'),
    JSON_TYPE,
    null,
    body.ready ? NO_STORE : { ...NO_STORE, ...RETRY_LATER },
    body.ready ? 200 : 503,
  );

/** Every 503 says when to come back; one of a node is logged, because the caller cannot do anything about it. */
function told(request: FastifyRequest, logger: HttpLogger, handle: HttpRoute['handle']) {
  try {
    const answer = handle(request);
    return answer instanceof Promise ? answer.catch((error: unknown) => refuse(error, request, logger)) : answer;
  } catch (error) {
    return refuse(error, request, logger);
  }
}

function refuse(error: unknown, request: FastifyRequest, logger: HttpLogger): never {
  if (!(error instanceof HttpProblem) || error.status !== 503) throw error;
  if (error.code === 'rpc') {
    logger.warn({ requestId: request.id, route: request.routeOptions.url, reason: error.message }, 'answered 503');
  }
  if (error.headers['retry-after'] !== undefined) throw error;
  throw new HttpProblem(503, error.code, error.message, { ...error.headers, ...RETRY_LATER }, error.details);
}
