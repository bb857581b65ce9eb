import type { Type } from '@nestjs/common';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import type { HttpLogger, Listener } from '#libs/serve/http/listener.js';
import { type ListenerPlace, ModuleListener, openListener } from '#libs/serve/http/listener-place.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
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

/** The listener of the router. It serves the routes of the features. */
export class RouterListener extends ModuleListener {
  private readonly routes: readonly HttpRoute[];

  constructor(
    private readonly parts: RouterListenerParts,
    handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {
    super();
    this.routes = handlers.map(({ type, handler }) => {
      const route = routeOfHandler(type, handler);
      return { ...route, scope: scopeOf(route.path), handle: withRetryAfter(route.handle, parts.logger) };
    });
  }

  protected async open(): Promise<Listener> {
    const { place, accounts, logger, clock, own } = this.parts;
    const { routes } = this;
    const listener = await openListener(place, {
      ...{ routes, errorBody, timeout: requestTimeout, accounts, keysNotRead, clock, logger },
    });
    own.opened(listener.url);
    return listener;
  }
}
