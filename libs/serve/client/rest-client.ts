// Room: the typed REST and live client for browsers and Node. May import protocol, payloads of serve/contract.

import type { CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { ChainsAnswer } from '#libs/serve/contract/rest/chain-body.js';
import type { HealthBody, ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import type { ScreenerQuery, SearchQuery } from '#libs/serve/contract/rest/market-queries.js';
import type { CandlesQuery, TokenQuery, TradesQuery } from '#libs/serve/contract/rest/queries.js';
import type { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { SearchAnswer } from '#libs/serve/contract/rest/search-body.js';
import type { StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { ApiError } from './api-error.js';
import { type ApiRoutes, apiPaths } from './generated/api.js';
import { type ClientOptions, isObject, JsonClient, pauseOf, queryText, type RequestOptions } from './json-client.js';

export type { RequestOptions } from './json-client.js';
export type RestClientOptions = ClientOptions;

/**
 * The REST routes with their types, for browsers and Node 20. Whatever is not an answer of the 200s is thrown as an
 * ApiError; the key travels in a header and is in no URL and no message.
 */
export class RestClient {
  private readonly http: JsonClient;

  constructor(options: RestClientOptions) {
    this.http = new JsonClient(options);
  }

  /** Any declared route, by the name of its operation. Parameters that are undefined or null are left out. */
  call<Id extends keyof ApiRoutes>(
    id: Id,
    given: { path?: ApiRoutes[Id]['path']; query?: Partial<ApiRoutes[Id]['query']> } = {},
    options?: RequestOptions,
  ): Promise<ApiRoutes[Id]['answer']> {
    const parts = (given.path ?? {}) as Record<string, string>;
    const path = apiPaths[id].replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(parts[name] ?? ''));
    return this.get(path, given.query, options);
  }

  chains(options?: RequestOptions): Promise<ChainsAnswer> {
    return this.call('getChains', {}, options);
  }

  token(chain: string, address: string, query: TokenQuery = {}, options?: RequestOptions): Promise<TokenAnswer> {
    return this.call('getToken', { path: { chain, address }, query }, options);
  }

  trades(
    chain: string,
    address: string,
    query: Partial<TradesQuery> = {},
    options?: RequestOptions,
  ): Promise<TradesAnswer> {
    return this.call('getTokenTrades', { path: { chain, address }, query }, options);
  }

  candles(
    chain: string,
    address: string,
    query: Partial<CandlesQuery> = {},
    options?: RequestOptions,
  ): Promise<CandlesAnswer> {
    return this.call('getTokenCandles', { path: { chain, address }, query }, options);
  }

  screener(query: Partial<ScreenerQuery> = {}, options?: RequestOptions): Promise<ScreenerAnswer> {
    return this.call('getScreener', { query }, options);
  }

  search(q: string, query: Partial<SearchQuery> = {}, options?: RequestOptions): Promise<SearchAnswer> {
    return this.call('searchTokens', { query: { ...query, q } }, options);
  }

  status(options?: RequestOptions): Promise<StatusAnswer> {
    return this.call('getStatus', {}, options);
  }

  health(options?: RequestOptions): Promise<HealthBody> {
    return this.call('getHealth', {}, options);
  }

  /** Answers with `ready: false` too: a 503 of this route is an answer, not an error. */
  async ready(options?: RequestOptions): Promise<ReadyBody> {
    const { status, body } = await this.http.get('/ready', options);
    if (status === 200 || (status === 503 && isObject(body) && 'ready' in body)) return body as ReadyBody;
    throw errorOf(status, body, null, null);
  }

  /** Any path. Parameters that are undefined or null are left out. */
  async get<T>(path: string, query: object = {}, options?: RequestOptions): Promise<T> {
    const { status, body, headers } = await this.http.get(path + queryText(query), options);
    if (status >= 200 && status < 300) return body as T;
    throw errorOf(status, body, pauseOf(headers), headers.get('x-request-id'));
  }
}

function errorOf(status: number, body: unknown, retryAfter: number | null, requestId: string | null): ApiError {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = typeof error.code === 'string' ? error.code : 'unreadable';
  const message = typeof error.message === 'string' ? error.message : `the service answered with status ${status}`;
  return new ApiError(code, message, status, retryAfter, requestId);
}
