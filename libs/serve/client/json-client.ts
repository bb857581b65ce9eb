import { ApiError } from './api-error.js';

export interface ClientOptions {
  /** Address of the listener, with or without a path prefix. */
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

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

type QueryValue = string | number | boolean | null | undefined;

const TIMEOUT_MS = 15_000;

/**
 * One listener that speaks JSON, for browsers and Node 20. What never became an answer is thrown as an ApiError; what a
 * status means is for the caller to say. The key travels in a header and is in no URL and no message.
 */
export class JsonClient {
  readonly base: string;

  constructor(private readonly options: ClientOptions) {
    this.base = options.baseUrl.replace(/\/+$/, '');
  }

  get(path: string, options?: RequestOptions): Promise<JsonAnswer> {
    return this.send(path, { method: 'GET' }, options);
  }

  post(path: string, body: unknown, options?: RequestOptions): Promise<JsonAnswer> {
    return this.send(path, { method: 'POST', body: JSON.stringify(body) }, options);
  }

  private async send(
    path: string,
    { method, body }: { method: string; body?: string },
    options: RequestOptions = {},
  ): Promise<JsonAnswer> {
    const send = this.options.fetch ?? globalThis.fetch;
    const { apiKey, timeoutMs = TIMEOUT_MS } = this.options;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (apiKey) headers['x-api-key'] = apiKey;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const deadline = new AbortController();
    const giveUp = (): void => deadline.abort();
    const timer = setTimeout(giveUp, timeoutMs);
    options.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      options.signal?.throwIfAborted();
      const response = await send(this.base + path, { method, headers, body, signal: deadline.signal });
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

/** Parameters that are undefined or null are left out. */
export function queryText(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Seconds that an answer asks to wait; null when it does not. */
export function pauseOf(headers: Headers): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}

function parse(text: string, status: number): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError(
      'unreadable',
      `the answer (status ${status}) is not JSON: is this the service's address?`,
      status,
    );
  }
}
