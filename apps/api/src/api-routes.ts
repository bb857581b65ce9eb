import type { Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { chainManifests } from '#libs/chain/chains/registry.js';
import { Answer } from '#libs/serve/http/answer.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { problemOf } from './access/chain-access.js';
import type { ReadyAnswers } from './access/ready-answers.js';
import type { StaleIfErrorCache } from './access/stale-if-error-cache.js';

const AS_OF_BLOCK =
  'asOfBlock is not taken by this route: it answers from the newest block; ask for the token, its trades or its candles';

/** What a request passes before its handler. */
interface Between {
  readonly logger: HttpLogger;
  readonly copies: StaleIfErrorCache;
  readonly ready: ReadyAnswers;
}

/** The routes of declared handlers. Every one answers the same with and without the prefix `/v1`. */
export const apiRoutes = (handlers: readonly [Type<RouteHandler>, RouteHandler][], between: Between): HttpRoute[] =>
  handlers.flatMap(([type, handler]): HttpRoute[] => {
    const route = routeOfHandler(type, handler, { refused: { asOfBlock: AS_OF_BLOCK } });
    const answering = { ...route, handle: answeringProblems(route, between) };
    return [answering, { ...answering, path: `/v1${route.path}` }];
  });

/**
 * Failures below become refusals; what is behind a 502 or 503 is logged, because the client does not see it. While the tables do
 * not answer, the last good copy is served for two minutes.
 */
function answeringProblems(
  { path, method, declaration, handle }: HttpRoute,
  { logger, copies, ready }: Between,
): HttpRoute['handle'] {
  // Market data are the same for every account.
  const copied = method === 'GET' && (declaration?.cost === 'read' || declaration?.cost === 'list');
  const answered = async (request: FastifyRequest) => {
    try {
      const key = copied ? copyKey(path, request) : null;
      if (key === null) return await handle(request);
      const answer = await copies.or(
        key,
        () => handle(request),
        (error) => logger.warn({ err: error, requestId: request.id }, 'the tables do not answer: a copy was sent'),
      );
      if (answer instanceof Answer) ready.put(request.raw.url!, { answer, copyKey: key });
      return answer;
    } catch (error) {
      const problem = problemOf(error, historyOf(path, request));
      if (problem === null) throw error;
      if (problem.status >= 500) logger.warn({ err: error, requestId: request.id }, `answered ${problem.status}`);
      throw problem;
    }
  };
  if (!copied) return answered;
  return (request) => {
    const found = ready.find(request.raw.url!);
    if (found === null) return answered(request);
    copies.keep(found.copyKey, found.answer);
    return found.answer;
  };
}

/** Names of the parameters that carry a key. */
const KEYS = new Set(['apiKey', 'api_key']);

/** What equal requests have in common, of any account; null for a page after the first. */
function copyKey(path: string, { params, query }: FastifyRequest): string | null {
  const given = query as Record<string, unknown>;
  if (given.cursor !== undefined) return null;
  const asked = Object.entries(given).filter(([name]) => !KEYS.has(name));
  return JSON.stringify([path, params, asked]);
}

/** Whether a request asks for the trades or candles of a chain of Solana: these say 503, with the time to come again. */
function historyOf(path: string, { params }: FastifyRequest): boolean {
  if (!/\/(trades|candles)$/.test(path)) return false;
  const { chain } = params as { chain?: string };
  return chain !== undefined && chainManifests.find(chain)?.family === 'solana';
}
