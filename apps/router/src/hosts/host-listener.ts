import type { Provider, Type } from '@nestjs/common';
import { ACCOUNTS, LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import type { HttpLogger, Listener } from '#libs/serve/http/listener.js';
import { type ListenerPlace, ModuleListener, openListener } from '#libs/serve/http/listener-place.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { NodesUnavailableError } from '../nodes/chain-nodes.js';
import { REQUEST_CLOCK } from '../tokens.js';
import { type DescribedHost, openRoutes } from './host-documents.js';
import { hostErrorBody } from './host-errors.js';

interface HostParts {
  readonly place: ListenerPlace;
  /** null: the host asks for no keys. */
  readonly accounts: Accounts | null;
  readonly logger: HttpLogger;
  readonly version: string;
  readonly clock: RequestClock;
}

/** The listener of a host other than the router. */
export class HostListener extends ModuleListener {
  constructor(
    private readonly host: DescribedHost,
    private readonly parts: HostParts,
    private readonly handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {
    super();
  }

  protected open(): Promise<Listener> {
    const { place, accounts, logger, version, clock } = this.parts;
    const routes = [
      ...this.handlers.map(({ type, handler }) => answeringProblems(routeOfHandler(type, handler), logger)),
      ...openRoutes(
        this.host,
        this.handlers.map(({ type }) => type),
        version,
        accounts?.prices,
      ),
    ];
    return openListener(place, {
      ...{ routes, errorBody: hostErrorBody, accounts, scope: 'router', keysNotRead, logger, clock },
    });
  }
}

/** Provides the listener of a host under its own class; `place`: the token of where it opens. */
export const hostListener = (
  type: typeof HostListener,
  host: DescribedHost,
  place: symbol,
  routes: readonly Type<RouteHandler>[],
): Provider<HostListener> => ({
  provide: type,
  inject: [place, ACCOUNTS, LOGGER, VERSION, REQUEST_CLOCK, ...routes],
  useFactory: (
    at: ListenerPlace,
    accounts: Accounts | null,
    logger: HttpLogger,
    version: string,
    clock: RequestClock,
    ...handlers: RouteHandler[]
  ) =>
    new type(
      host,
      { place: at, accounts, logger, version, clock },
      routes.map((route, index) => ({ type: route, handler: handlers[index]! })),
    ),
});

const keysNotRead = (): HttpProblem =>
  new HttpProblem(503, 'not_ready', 'the keys are not read yet', { 'retry-after': '2' });

/** Answers 503 where no node answered; the reason is in the log alone. */
function answeringProblems(route: HttpRoute, logger: HttpLogger): HttpRoute {
  return {
    ...route,
    handle: async (request) => {
      try {
        return await route.handle(request);
      } catch (error) {
        if (!(error instanceof NodesUnavailableError)) throw error;
        logger.warn({ err: error, requestId: request.id }, 'answered 503');
        const message = `no node of ${error.chain} answered: try again`;
        throw new HttpProblem(503, 'upstream_unavailable', message, { 'retry-after': '2' });
      }
    },
  };
}
