import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown, Type } from '@nestjs/common';
import { Answer } from '#libs/http/answer.js';
import { type RouteHandler, routeOfHandler } from '#libs/http/declared-route.js';
import { createListener, type HttpLogger, type Listener, type ListenerOptions } from '#libs/http/listener.js';
import type { HttpProblem } from '#libs/http/problem.js';
import type { HttpRoute } from '#libs/http/routes.js';
import type { ApiDeps } from './access/api-deps.js';
import { problemOf } from './access/chain-access.js';
import { consoleRoutes } from './console/console-files.js';
import type { LiveFeeds } from './live/live-feeds.js';
import type { LiveTransports } from './live/transport/live-transports.js';

const AS_OF_BLOCK =
  'asOfBlock is not taken by this route: it answers from the newest block; ask for the token, its trades or its candles';

/**
 * The listeners of the api, open from the start of the application to its shutdown: first live connections are told to
 * come again, then what is being answered is finished. Every route answers the same with and without the prefix `/v1`.
 */
export class ApiListener implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly listeners: Listener[] = [];
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

  async onApplicationBootstrap(): Promise<void> {
    const { bind, port } = this.deps.config;
    try {
      const routes = [...(await consoleRoutes(undefined, this.deps.routerUrl)), ...this.routes];
      await this.open({ routes, upgrades: [this.transports.sockets], host: bind, port });
    } catch (error) {
      await this.beforeApplicationShutdown();
      await this.onApplicationShutdown();
      throw error;
    }
  }

  /** Opens a listener that has the live interface alone; its address. */
  async serveSockets(place: { bind: string; port: number }): Promise<string> {
    const health = Answer.json({ status: 'ok', version: this.deps.version });
    const alive: HttpRoute = { method: 'GET', path: '/health', open: true, handle: () => health };
    const upgrades = [this.transports.alone()];
    const listener = await this.open({ routes: [alive], upgrades, host: place.bind, port: place.port });
    return listener.url.replace('http', 'ws');
  }

  /** Ends every live connection in order. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.transports.close();
  }

  async onApplicationShutdown(): Promise<void> {
    this.feeds.close();
    await Promise.all(this.listeners.map((listener) => listener.close()));
  }

  private async open(options: Pick<ListenerOptions, 'routes' | 'upgrades' | 'host' | 'port'>): Promise<Listener> {
    const { accounts, config, logger } = this.deps;
    const shared = { errorBody: apiErrorBody, accounts, trustProxy: config.trustProxy, logger };
    const listener = await createListener({ ...shared, ...options });
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
