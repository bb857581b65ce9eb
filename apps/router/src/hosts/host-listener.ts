import type { OnModuleDestroy, OnModuleInit, Provider, Type } from '@nestjs/common';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import { createListener, type HttpLogger, type Listener } from '#libs/serve/http/listener.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { RequestDeadline } from '../http/request-deadline.js';
import { NodesUnavailableError } from '../nodes/chain-nodes.js';
import { REQUEST_DEADLINE } from '../tokens.js';
import { type DescribedHost, openRoutes } from './host-documents.js';
import { hostErrorBody } from './host-errors.js';

export interface HostPlace {
  readonly bind: string;
  readonly port: number;
  /** What to say when it cannot be opened; the error itself without it. */
  readonly explain?: (error: unknown) => unknown;
}

export interface HostDeps {
  readonly place: HostPlace;
  readonly trustProxy?: boolean | number | string[];
  readonly accounts: Accounts | null;
  readonly logger: HttpLogger;
  readonly version: string;
  /** By which requests are cut; the system's. */
  readonly clock?: RequestClock;
}

/** The listener of one host besides the router. Open before the stages start and closed before they end. */
export class HostListener implements OnModuleInit, OnModuleDestroy {
  private listener: Listener | null = null;

  constructor(
    private readonly host: DescribedHost,
    private readonly deps: HostDeps,
    private readonly handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {}

  /** null before it is open. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    const { place, accounts, logger, trustProxy, version, clock } = this.deps;
    const routes = [
      ...this.handlers.map(({ type, handler }) => answeringProblems(routeOfHandler(type, handler), logger)),
      ...openRoutes(
        this.host,
        this.handlers.map(({ type }) => type),
        version,
        accounts?.prices,
      ),
    ];
    this.listener = await createListener({
      ...{ routes, errorBody: hostErrorBody, accounts, scope: 'router', keysNotRead, trustProxy, logger, clock },
      ...{ host: place.bind, port: place.port },
    }).catch((error: unknown) => {
      throw place.explain === undefined ? error : place.explain(error);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
  }
}

/** Provides the time limit of every request of a host. */
export const hostDeadline = (deps: symbol): Provider<RequestDeadline> => ({
  provide: REQUEST_DEADLINE,
  inject: [deps],
  useFactory: ({ clock }: HostDeps) => new RequestDeadline(undefined, clock),
});

const keysNotRead = (): HttpProblem =>
  new HttpProblem(503, 'not_ready', 'the keys are not read yet', { 'retry-after': '2' });

/** What nodes did not answer is a 503; why, only the log says. */
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
