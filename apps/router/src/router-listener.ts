import type { OnModuleDestroy, OnModuleInit, Type } from '@nestjs/common';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import { createListener, type Listener } from '#libs/serve/http/listener.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { keysNotRead, requestTimeout, routerErrorBody } from './http/router-problem.js';
import { withRetryAfter } from './http/with-retry-after.js';
import { isLaunchPath, launchErrorBody } from './launch/launch-problem.js';
import type { OwnAddress } from './own-address.js';
import type { RouterDeps } from './router-deps.js';

/** A key may be for the router or for launches alone. */
const scopeOf = (path: string): KeyScope => (isLaunchPath(path) ? 'launch' : 'router');

const errorBody = (problem: HttpProblem, path: string): unknown =>
  isLaunchPath(path) ? launchErrorBody(problem) : routerErrorBody(problem);

/** The base listener: its routes are those of the features. Open before the stages start and closed before they end. */
export class RouterListener implements OnModuleInit, OnModuleDestroy {
  private readonly routes: readonly HttpRoute[];
  private listener: Listener | null = null;

  constructor(
    private readonly deps: RouterDeps,
    private readonly own: OwnAddress,
    handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {
    this.routes = handlers.map(({ type, handler }) => {
      const route = routeOfHandler(type, handler);
      return { ...route, scope: scopeOf(route.path), handle: withRetryAfter(route.handle, deps.logger) };
    });
  }

  /** null before it is open. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    const { config, accounts, logger, clock } = this.deps;
    const { bind: host, port, trustProxy, explain } = config;
    this.listener = await createListener({
      ...{ routes: this.routes, errorBody, timeout: requestTimeout, clock },
      ...{ accounts, keysNotRead, host, port, trustProxy, logger },
    }).catch((error: unknown) => {
      throw explain === undefined ? error : explain(error);
    });
    this.own.opened(this.listener.url);
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
  }
}
