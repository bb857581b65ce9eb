import type { FastifyRequest } from 'fastify';
import type { Accounts } from '#libs/accounts/account.js';
import { CursorSealer } from '#libs/core/cursor.js';
import { Answer, etagOf, JSON_TYPE } from '#libs/http/answer.js';
import { createListener, type HttpLogger } from '#libs/http/listener.js';
import type { HttpProblem } from '#libs/http/problem.js';
import type { HttpRoute } from '#libs/http/routes.js';
import type { ChainReader } from '#libs/tail/chain-reader.js';
import { ApiModule } from './api.module.js';
import { apiDocument } from './openapi/api-document.js';
import { AnswerCache } from './rest/answer-cache.js';
import { ChainAccess, problemOf } from './rest/chain-access.js';
import { chainsAnswer } from './rest/chains-answer.js';
import { readiness } from './rest/readiness.js';
import { TokenRoutes } from './rest/token-routes.js';

export interface ApiDeps {
  config: { bind: string; port: number; trustProxy?: boolean | number | string[] };
  /** By slug: the chains this instance serves. They are run by whoever made them. */
  readers: ReadonlyMap<string, ChainReader>;
  accounts: Accounts;
  /** Authenticates page cursors: the same for every process that answers behind one address. */
  cursorKey: Uint8Array;
  logger: HttpLogger;
  version: string;
}

export interface RunningApi {
  readonly url: string;
  close(): Promise<void>;
}

/** Every path of the listener, without the prefix under which it answers too. */
export const apiRoutePaths = [
  '/health',
  '/ready',
  '/openapi.yaml',
  '/chains',
  '/tokens/:chain/:address',
  '/tokens/:chain/:address/trades',
  '/tokens/:chain/:address/candles',
] as const;

type ApiPath = (typeof apiRoutePaths)[number];
const openPaths: readonly ApiPath[] = ['/health', '/ready', '/openapi.yaml'];

/** The market-data listener. Every route answers the same with and without the prefix `/v1`. */
export async function createApi(deps: ApiDeps): Promise<RunningApi> {
  const access = new ChainAccess(deps.readers);
  const tokens = new TokenRoutes(access, new AnswerCache(deps.version), new CursorSealer(deps.cursorKey));
  const contract = Buffer.from(await apiDocument(), 'utf8');
  const document = new Answer(contract, 'application/yaml; charset=utf-8', etagOf(contract));
  const health = Answer.json({ status: 'ok', version: deps.version });
  const ready = () => {
    const body = readiness(access);
    return new Answer(Buffer.from(JSON.stringify(body)), JSON_TYPE, null, {}, body.ready ? 200 : 503);
  };

  const handlers: Record<ApiPath, HttpRoute['handle']> = {
    '/health': () => health,
    '/ready': ready,
    '/openapi.yaml': () => document,
    '/chains': () => Answer.json(chainsAnswer(access)),
    '/tokens/:chain/:address': (request) => tokens.token(request),
    '/tokens/:chain/:address/trades': (request) => tokens.trades(request),
    '/tokens/:chain/:address/candles': (request) => tokens.candles(request),
  };
  const routes = apiRoutePaths.flatMap((path): HttpRoute[] => {
    const route = {
      method: 'GET' as const,
      open: openPaths.includes(path),
      handle: guarded(deps.logger, handlers[path]),
    };
    return [
      { ...route, path },
      { ...route, path: `/v1${path}` },
    ];
  });
  return createListener({
    module: ApiModule,
    routes,
    errorBody: apiErrorBody,
    accounts: deps.accounts,
    host: deps.config.bind,
    port: deps.config.port,
    trustProxy: deps.config.trustProxy,
    logger: deps.logger,
  });
}

export const apiErrorBody = (problem: HttpProblem): unknown => ({
  error: { code: problem.code, message: problem.message },
});

/** Failures below become what a client is told; what is behind a 503 is logged, because the client does not see it. */
function guarded(logger: HttpLogger, handle: HttpRoute['handle']): HttpRoute['handle'] {
  return async (request: FastifyRequest) => {
    try {
      return await handle(request);
    } catch (error) {
      const problem = problemOf(error);
      if (problem === null) throw error;
      if (problem.status >= 500) logger.warn({ err: error, requestId: request.id }, 'answered 503');
      throw problem;
    }
  };
}
