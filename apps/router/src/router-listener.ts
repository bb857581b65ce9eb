import type { OnModuleDestroy, OnModuleInit, Type } from '@nestjs/common';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import type { HttpLogger, Listener } from '#libs/serve/http/listener.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { type ListenerPlace, openListener } from './http/listener-place.js';
import { keysNotRead, requestTimeout, routerErrorBody } from './http/router-problem.js';
import { withRetryAfter } from './http/with-retry-after.js';
import { isLaunchPath, launchErrorBody } from './launch/launch-problem.js';
import type { OwnAddress } from './own-address.js';

/** A key may be for the router or for launches alone. */
const scopeOf = (path: string): KeyScope => (isLaunchPath(path) ? 'launch' : 'router');

const errorBody = (problem: HttpProblem, path: string): unknown =>
  isLaunchPath(path) ? launchErrorBody(problem) : routerErrorBody(problem);

interface RouterListenerParts {
  readonly place: ListenerPlace;
  /** null: the router asks for no keys. */
  readonly accounts: Accounts | null;
  readonly logger: HttpLogger;
  readonly clock: RequestClock;
  /** Learns where the listener is. */
  readonly own: OwnAddress;
}

/** The listener of the router. It serves the routes of the features, opens before the stages start and closes before they end. */
export class RouterListener implements OnModuleInit, OnModuleDestroy {
  private readonly routes: readonly HttpRoute[];
  private listener: Listener | null = null;

  constructor(
    private readonly parts: RouterListenerParts,
    handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {
    this.routes = handlers.map(({ type, handler }) => {
      const route = routeOfHandler(type, handler);
      return { ...route, scope: scopeOf(route.path), handle: withRetryAfter(route.handle, parts.logger) };
    });
  }

  /** null before it is open. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    const { place, accounts, logger, clock, own } = this.parts;
    const { routes } = this;
    this.listener = await openListener(place, {
      ...{ routes, errorBody, timeout: requestTimeout, accounts, keysNotRead, clock, logger },
    });
    own.opened(this.listener.url);
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
  }
}
