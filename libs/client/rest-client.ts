import type { CandlesAnswer } from '#libs/protocol/rest/candle-body.js';
import type { ChainsAnswer } from '#libs/protocol/rest/chain-body.js';
import type { HealthBody, ReadyBody } from '#libs/protocol/rest/health-body.js';
import type { ScreenerQuery, SearchQuery } from '#libs/protocol/rest/market-queries.js';
import type { CandlesQuery, TokenQuery, TradesQuery } from '#libs/protocol/rest/queries.js';
import type { ScreenerAnswer } from '#libs/protocol/rest/screener-body.js';
import type { SearchAnswer } from '#libs/protocol/rest/search-body.js';
import type { StatusAnswer } from '#libs/protocol/rest/status-body.js';
import type { TokenAnswer } from '#libs/protocol/rest/token-body.js';
import type { TradesAnswer } from '#libs/protocol/rest/trade-body.js';
import { ApiError } from './api-error.js';

export interface RestClientOptions {
  /** Address of the api listener, with or without a path prefix. */
  baseUrl: string;
  apiKey?: string | null;
  /** Replaces the global fetch. */
  fetch?: typeof fetch;
  /** How long a request may take. */
  timeoutMs?: number;
}

export interface RequestOptions {
  /** The caller gives up: its own AbortError is what it gets. */
  signal?: AbortSignal;
}

export type QueryValue = string | number | boolean | null | undefined;

const TIMEOUT_MS = 15_000;

/**
 * The REST routes with their types, for browsers and Node 20. Whatever is not an answer of the 200s is thrown as an
 * ApiError; the key travels in a header and is in no URL and no message.
 */
export class RestClient {
  private readonly base: string;

  constructor(private readonly options: RestClientOptions) {
    this.base = options.baseUrl.replace(/\/+$/, '');
  }

  chains(options?: RequestOptions): Promise<ChainsAnswer> {
    return this.get('/chains', {}, options);
  }

  token(chain: string, address: string, query: TokenQuery = {}, options?: RequestOptions): Promise<TokenAnswer> {
    return this.get(tokenPath(chain, address), query, options);
  }

  trades(
    chain: string,
    address: string,
    query: Partial<TradesQuery> = {},
    options?: RequestOptions,
  ): Promise<TradesAnswer> {
    return this.get(`${tokenPath(chain, address)}/trades`, query, options);
  }

  candles(
    chain: string,
    address: string,
    query: Partial<CandlesQuery> = {},
    options?: RequestOptions,
  ): Promise<CandlesAnswer> {
    return this.get(`${tokenPath(chain, address)}/candles`, query, options);
  }

  screener(query: Partial<ScreenerQuery> = {}, options?: RequestOptions): Promise<ScreenerAnswer> {
    return this.get('/screener', query, options);
  }

  search(q: string, query: Partial<SearchQuery> = {}, options?: RequestOptions): Promise<SearchAnswer> {
    return this.get('/search', { ...query, q }, options);
  }

  status(options?: RequestOptions): Promise<StatusAnswer> {
    return this.get('/status', {}, options);
  }

  health(options?: RequestOptions): Promise<HealthBody> {
    return this.get('/health', {}, options);
  }

  /** Answers with `ready: false` too: a 503 of this route is an answer, not an error. */
  async ready(options?: RequestOptions): Promise<ReadyBody> {
    const { status, body } = await this.send('/ready', options);
    if (status === 200 || (status === 503 && isObject(body) && 'ready' in body)) return body as ReadyBody;
    throw errorOf(status, body, null, null);
  }

  /** Any other route. Parameters that are undefined or null are left out. */
  async get<T>(path: string, query: object = {}, options?: RequestOptions): Promise<T> {
    const { status, body, headers } = await this.send(path + queryText(query), options);
    if (status >= 200 && status < 300) return body as T;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    throw errorOf(status, body, Number.isFinite(seconds) ? seconds : null, headers.get('x-request-id'));
  }

  private async send(
    path: string,
    options: RequestOptions = {},
  ): Promise<{ status: number; body: unknown; headers: Headers }> {
    const send = this.options.fetch ?? globalThis.fetch;
    const { apiKey, timeoutMs = TIMEOUT_MS } = this.options;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (apiKey) headers['x-api-key'] = apiKey;
    const deadline = new AbortController();
    const giveUp = (): void => deadline.abort();
    const timer = setTimeout(giveUp, timeoutMs);
    options.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      options.signal?.throwIfAborted();
      const response = await send(this.base + path, { headers, signal: deadline.signal });
      const text = await response.text();
      return { status: response.status, body: parse(text, response.status), headers: response.headers };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      options.signal?.throwIfAborted();
      if (deadline.signal.aborted) throw new ApiError('timeout', `no answer within ${timeoutMs / 1000} s`);
      throw new ApiError('network', 'the service cannot be reached');
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', giveUp);
    }
  }
}

const tokenPath = (chain: string, address: string): string =>
  `/tokens/${encodeURIComponent(chain)}/${encodeURIComponent(address)}`;

function queryText(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function parse(text: string, status: number): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError('unreadable', `the answer (status ${status}) is not JSON: is this the api's address?`, status);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function errorOf(status: number, body: unknown, retryAfter: number | null, requestId: string | null): ApiError {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = typeof error.code === 'string' ? error.code : 'unreadable';
  const message = typeof error.message === 'string' ? error.message : `the service answered with status ${status}`;
  return new ApiError(code, message, status, retryAfter, requestId);
}
