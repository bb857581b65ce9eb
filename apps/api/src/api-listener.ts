import type { OnModuleDestroy, OnModuleInit, Type } from '@nestjs/common';
import { Answer } from '#libs/http/answer.js';
import { type RouteHandler, routeOfHandler } from '#libs/http/declared-route.js';
import { createListener, type HttpLogger, type Listener, type ListenerOptions } from '#libs/http/listener.js';
import type { HttpProblem } from '#libs/http/problem.js';
import type { HttpRoute } from '#libs/http/routes.js';
import type { ApiDeps, ListenPlace } from './access/api-deps.js';
import { problemOf } from './access/chain-access.js';
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
  /** Address of the listener that has the live interface alone; null without one. */
  private sockets: string | null = null;
  private readonly routes: readonly HttpRoute[];

  constructor(
    private readonly deps: ApiDeps,
    private readonly transports: LiveTransports,
    private readonly feeds: LiveFeeds,
    handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {
    this.routes = handlers.flatMap(({ type, handler }): HttpRoute[] => {
      const route = routeOfHandler(type, handler, { refused: { asOfBlock: AS_OF_BLOCK } });
      const answering = { ...route, handle: answeringProblems(deps.logger, route.handle) };
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
      await this.open(config, { routes, upgrades: [this.transports.sockets] });
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
    const upgrades = [this.transports.alone()];
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

/** Failures below become refusals; what is behind a 503 is logged, because the client does not see it. */
function answeringProblems(logger: HttpLogger, handle: HttpRoute['handle']): HttpRoute['handle'] {
  return async (request) => {
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
