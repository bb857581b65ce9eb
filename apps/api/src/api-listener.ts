import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ACCOUNTS, LOGGER, ROUTER_URL, VERSION } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { Answer } from '#libs/serve/http/answer.js';
import type { HttpLogger, Listener, ListenerOptions } from '#libs/serve/http/listener.js';
import { type ListenerPlace, openListener } from '#libs/serve/http/listener-place.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { API_PLACES, API_ROUTES, type ApiPlaces } from './access/api-parts.js';
import { consoleRoutes } from './console/console-files.js';
import { LiveFeeds } from './live/live-feeds.js';
import { LiveTransports } from './live/transport/live-transports.js';

/**
 * The listeners of the api, open before the stages start and closed before they end: first live connections are closed
 * with the code to connect again, then open requests are answered.
 */
@Injectable()
export class ApiListener implements OnModuleInit, OnModuleDestroy {
  private readonly listeners: Listener[] = [];
  /** Address of the listener that has the live interface alone; null without one. */
  private sockets: string | null = null;

  constructor(
    @Inject(API_PLACES) private readonly places: ApiPlaces,
    @Inject(API_ROUTES) private readonly routes: readonly HttpRoute[],
    private readonly transports: LiveTransports,
    private readonly feeds: LiveFeeds,
    @Inject(ACCOUNTS) private readonly accounts: Accounts | null,
    @Inject(ROUTER_URL) private readonly routerUrl: () => string | null,
    @Inject(VERSION) private readonly version: string,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {}

  get url(): string {
    return this.listeners[0]!.url;
  }

  get socketsUrl(): string | null {
    return this.sockets;
  }

  async onModuleInit(): Promise<void> {
    const { places } = this;
    try {
      const routes = [...(await consoleRoutes(undefined, this.routerUrl)), ...this.routes];
      await this.open(places, { routes, upgrades: this.transports.upgrades });
      if (places.sockets !== undefined) this.sockets = await this.serveSockets(places.sockets);
    } catch (error) {
      await this.onModuleDestroy();
      throw error;
    }
  }

  /** Opens a listener that has the live interface alone; its address. */
  async serveSockets(place: ListenerPlace): Promise<string> {
    const health = Answer.json({ status: 'ok', version: this.version });
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

  private async open(place: ListenerPlace, options: Pick<ListenerOptions, 'routes' | 'upgrades'>): Promise<Listener> {
    const { accounts, logger, places } = this;
    const shared = { errorBody: apiErrorBody, accounts, logger };
    const listener = await openListener({ ...place, trustProxy: places.trustProxy }, { ...shared, ...options });
    this.listeners.push(listener);
    return listener;
  }
}

export const apiErrorBody = (problem: HttpProblem): unknown => ({
  error: { code: problem.code, message: problem.message },
});
