import type { FastifyRequest } from 'fastify';
import type { Accounts } from '#libs/accounts/account.js';
import { CursorSealer } from '#libs/core/cursor.js';
import { Answer, etagOf, JSON_TYPE } from '#libs/http/answer.js';
import { createListener, type HttpLogger, type Listener, type ListenerOptions } from '#libs/http/listener.js';
import type { HttpProblem } from '#libs/http/problem.js';
import type { HttpRoute } from '#libs/http/routes.js';
import { LiveHub } from '#libs/live/live-hub.js';
import type { LiveLimits } from '#libs/live/live-options.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import { ApiModule } from './api.module.js';
import { consoleRoutes } from './console-files.js';
import { LiveDoors, type LiveStatus } from './live/doors/live-doors.js';
import { createLiveChannels } from './live/live-channels.js';
import { apiDocument } from './openapi/api-document.js';
import { AnswerCache } from './rest/answer-cache.js';
import { ChainAccess, problemOf } from './rest/chain-access.js';
import { chainsAnswer } from './rest/chains-answer.js';
import { IngestFollower, type StatusLog } from './rest/ingest-follower.js';
import { MarketRoutes } from './rest/market-routes.js';
import { readiness } from './rest/readiness.js';
import { statusAnswer } from './rest/status-answer.js';
import { TokenRoutes } from './rest/token-routes.js';

export interface ApiDeps {
  config: {
    bind: string;
    port: number;
    trustProxy?: boolean | number | string[];
    live?: LiveConfig;
  };
  /** By slug: the chains this instance serves. They are run by whoever made them. */
  readers: ReadonlyMap<string, ChainReader>;
  accounts: Accounts;
  /** Where the other processes say how they are. */
  log: StatusLog;
  /** Where clients reach the router of this instance. */
  routerUrl?: () => string | null;
  /** Authenticates page cursors: the same for every process that answers behind one address. */
  cursorKey: Uint8Array;
  logger: HttpLogger;
  version: string;
}

export interface LiveConfig {
  /** Most live connections of one listener. */
  maxConnections?: number;
  limits?: Partial<LiveLimits>;
  keepAliveMs?: number;
  heartbeatMs?: number;
}

export interface RunningApi {
  readonly url: string;
  liveStatus(): LiveStatus;
  /** Opens a listener that has the live interface alone; its address. It ends with the api. */
  serveSockets(place: { bind: string; port: number }): Promise<string>;
  close(): Promise<void>;
}

/** Every path of the listener, without the prefix under which it answers too. */
export const apiRoutePaths = [
  '/health',
  '/ready',
  '/openapi.yaml',
  '/chains',
  '/status',
  '/screener',
  '/search',
  '/tokens/:chain/:address',
  '/tokens/:chain/:address/trades',
  '/tokens/:chain/:address/candles',
] as const;

const DEFAULT_CONNECTIONS = 5_000;

type ApiPath = (typeof apiRoutePaths)[number];
const openPaths: readonly ApiPath[] = ['/health', '/ready', '/openapi.yaml'];

/** The market-data listener. Every route answers the same with and without the prefix `/v1`. */
export async function createApi(deps: ApiDeps): Promise<RunningApi> {
  const access = new ChainAccess(deps.readers);
  const cache = new AnswerCache(deps.version);
  const sealer = new CursorSealer(deps.cursorKey);
  const tokens = new TokenRoutes(access, cache, sealer);
  const market = new MarketRoutes(access, cache, sealer, deps.logger);
  const channels = createLiveChannels({ readers: deps.readers, identity: deps.cursorKey });
  const { limits, maxConnections = DEFAULT_CONNECTIONS, ...pace } = deps.config.live ?? {};
  const hub = new LiveHub({ channels: channels.definitions, logger: deps.logger, limits });
  const doors = new LiveDoors({ hub, accounts: deps.accounts, logger: deps.logger, maxConnections, ...pace });
  const ingest = new IngestFollower(deps.log, deps.logger);
  const { routerUrl } = deps;
  const status = { access, ingest, version: deps.version, startedAt: Date.now(), routerUrl };
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
    '/chains': () => Answer.json(chainsAnswer(access, hub.channelNames)),
    '/status': async () => changing(await statusAnswer(status)),
    '/screener': (request) => market.screener(request),
    '/search': (request) => market.search(request),
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
  const shared = {
    module: ApiModule,
    errorBody: apiErrorBody,
    accounts: deps.accounts,
    trustProxy: deps.config.trustProxy,
    logger: deps.logger,
  };
  const open = (options: Pick<ListenerOptions, 'routes' | 'upgrades' | 'host' | 'port'>) =>
    createListener({ ...shared, ...options });
  const { routes: streams, upgrades } = doors.apiDoors();
  const listeners: Listener[] = [];
  const close = async () => {
    await doors.close();
    channels.close();
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  const { bind, port } = deps.config;
  const all = [...(await consoleRoutes(undefined, routerUrl)), ...routes, ...streams];
  try {
    listeners.push(await open({ routes: all, upgrades, host: bind, port }));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: listeners[0]!.url,
    liveStatus: () => doors.status(),
    serveSockets: async (place) => {
      const alive: HttpRoute = { method: 'GET', path: '/health', open: true, handle: () => health };
      const socketDoors = doors.socketDoors();
      const listener = await open({ routes: [alive], upgrades: socketDoors, host: place.bind, port: place.port });
      listeners.push(listener);
      return listener.url.replace('http', 'ws');
    },
    close,
  };
}

/** An answer that is another one a moment later: nobody keeps it. */
const changing = (body: unknown): Answer =>
  new Answer(Buffer.from(JSON.stringify(body)), JSON_TYPE, null, { 'cache-control': 'no-store' });

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
