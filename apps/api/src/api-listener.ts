import type { OnModuleDestroy, OnModuleInit, Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { chainManifests } from '#libs/chain/chains/registry.js';
import { Answer } from '#libs/serve/http/answer.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import { createListener, type HttpLogger, type Listener, type ListenerOptions } from '#libs/serve/http/listener.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import type { AnswerCache } from './access/answer-cache.js';
import type { ApiDeps, ListenPlace } from './access/api-deps.js';
import { problemOf } from './access/chain-access.js';
import { ReadyAnswers } from './access/ready-answers.js';
import { StaleIfErrorCache } from './access/stale-if-error-cache.js';
import { consoleRoutes } from './console/console-files.js';
import type { LiveFeeds } from './live/live-feeds.js';
import type { LiveTransports } from './live/transport/live-transports.js';

const AS_OF_BLOCK =
  'asOfBlock is not taken by this route: it answers from the newest block; ask for the token, its trades or its candles';

/**
 * The listeners of the api, open before the stages start and closed before they end: first live connections are closed
 * with the code to connect again, then open requests are answered. Every route answers the same with and without the
 * prefix `/v1`.
 */
export class ApiListener implements OnModuleInit, OnModuleDestroy {
  private readonly listeners: Listener[] = [];
  readonly copies: StaleIfErrorCache;
  readonly ready: ReadyAnswers;
  /** Address of the listener that has the live interface alone; null without one. */
  private sockets: string | null = null;
  private readonly routes: readonly HttpRoute[];

  constructor(
    private readonly deps: ApiDeps,
    private readonly transports: LiveTransports,
    private readonly feeds: LiveFeeds,
    answers: AnswerCache,
    handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {
    this.copies = new StaleIfErrorCache(deps.copiesNow);
    this.ready = new ReadyAnswers(answers, (chain) => deps.readers.get(chain)!.view());
    this.routes = handlers.flatMap(({ type, handler }): HttpRoute[] => {
      const route = routeOfHandler(type, handler, { refused: { asOfBlock: AS_OF_BLOCK } });
      const answering = { ...route, handle: answeringProblems(deps.logger, route, this) };
      return [answering, { ...answering, path: `/v1${route.path}` }];
    });
  }

  get url(): string {
    return this.listeners[0]!.url;
  }

  get socketsUrl(): string | null {
    return this.sockets;
  }

  async onModuleInit(): Promise<void> {
    const { config } = this.deps;
    try {
      const routes = [...(await consoleRoutes(undefined, this.deps.routerUrl)), ...this.routes];
      await this.open(config, { routes, upgrades: this.transports.upgrades });
      if (config.sockets !== undefined) this.sockets = await this.serveSockets(config.sockets);
    } catch (error) {
      await this.onModuleDestroy();
      throw error;
    }
  }

  /** Opens a listener that has the live interface alone; its address. */
  async serveSockets(place: ListenPlace): Promise<string> {
    const health = Answer.json({ status: 'ok', version: this.deps.version });
    const alive: HttpRoute = { method: 'GET', path: '/health', open: true, handle: () => health };
    const upgrades = this.transports.alone();
    const listener = await this.open(place, { routes: [alive], upgrades });
    return listener.url.replace('http', 'ws');
  }

  async onModuleDestroy(): Promise<void> {
    await this.transports.close();
    this.feeds.close();
    await Promise.all(this.listeners.map((listener) => listener.close()));
  }

  private async open(place: ListenPlace, options: Pick<ListenerOptions, 'routes' | 'upgrades'>): Promise<Listener> {
    const { accounts, config, logger } = this.deps;
    const shared = { errorBody: apiErrorBody, accounts, trustProxy: config.trustProxy, logger };
    const { bind: host, port, explain } = place;
    const listener = await createListener({ ...shared, ...options, host, port }).catch((error: unknown) => {
      throw explain === undefined ? error : explain(error);
    });
    this.listeners.push(listener);
    return listener;
  }
}

export const apiErrorBody = (problem: HttpProblem): unknown => ({
  error: { code: problem.code, message: problem.message },
});

/**
 * Failures below become refusals; what is behind a 502 or 503 is logged, because the client does not see it. While the tables do
 * not answer, the last good copy is served for two minutes.
 */
function answeringProblems(
  logger: HttpLogger,
  { path, method, declaration, handle }: HttpRoute,
  { copies, ready }: Pick<ApiListener, 'copies' | 'ready'>,
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
