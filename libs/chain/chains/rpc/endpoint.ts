import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { ByteChunks } from '#libs/core/byte-chunks.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { postBytes } from './post-bytes.js';
import { hideUrl, RpcError, redact } from './rpc-error.js';

const gunzipAsync = promisify(gunzip);

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** One answer of a batch: a call may fail on its own. */
export type RpcAnswer = { result: unknown; error?: undefined } | { error: RpcError; result?: undefined };

export interface EndpointOptions {
  timeoutMs: number;
  maxResponseBytes: number;
  maxConcurrency: number;
  /** Attempts on this endpoint while it only says "too many requests". */
  rateLimitRetries: number;
}

/**
 * One node behind one URL. Keeps its own adaptive concurrency, honours Retry-After, and splits batches that it finds
 * too long. Every failure is an RpcError whose text cannot hold the URL.
 */
export abstract class JsonRpcEndpoint {
  /** Consecutive failures and the end of the cool-down they earned, by `performance.now()`. */
  failures = 0;
  coolUntil = 0;
  coolReason: string | null = null;
  disabled: string | null = null;
  verified = false;
  requests = 0;
  errors = 0;

  /** How answers are decoded: latin1 is several times faster where everything that is read is ASCII. */
  protected abstract readonly charset: 'latin1' | 'utf8';
  private readonly concurrency: ConcurrencyLimit;
  private readonly target: URL;
  private readonly postHeaders: Record<string, string>;
  private maxBatch = 100;
  private nextId = 1;

  constructor(
    readonly index: number,
    private readonly url: string,
    private readonly dispatcher: Dispatcher,
    private readonly options: EndpointOptions,
  ) {
    this.concurrency = new ConcurrencyLimit(Math.min(8, options.maxConcurrency), options.maxConcurrency);
    this.target = new URL(url);
    const host = this.target.hostname;
    const compressed = host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
    this.postHeaders = { 'content-type': 'application/json', ...(compressed && { 'accept-encoding': 'gzip' }) };
  }

  get label(): string {
    return `rpc endpoint ${this.index + 1}`;
  }

  error(kind: RpcError['kind'], message: string, retryAfterMs: number | null = null): RpcError {
    return new RpcError(kind, `${this.label}: ${redact(message, this.url)}`, retryAfterMs);
  }

  async call<T>(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<T> {
    const [answer] = await this.batch([{ method, params }], signal);
    if (answer!.error) throw answer!.error;
    return answer!.result as T;
  }

  /** All or none of the answers of a batch; the first error of any call is thrown. */
  async all<T>(calls: readonly RpcCall[], signal?: AbortSignal): Promise<T[]> {
    const answers = await this.batch(calls, signal);
    return answers.map((answer) => {
      if (answer.error) throw answer.error;
      return answer.result as T;
    });
  }

  /** Answers in the order of the calls. Throws only when the endpoint as a whole failed. */
  async batch(
    calls: readonly RpcCall[],
    signal?: AbortSignal,
    parse = (body: Buffer) => this.parse(body),
  ): Promise<RpcAnswer[]> {
    const answers: RpcAnswer[] = [];
    for (let start = 0; start < calls.length; ) {
      const part = calls.slice(start, start + this.maxBatch);
      try {
        answers.push(...(await this.batchOnce(part, signal, parse)));
        start += part.length;
      } catch (error) {
        // A node may refuse the batch as such; a single question cannot be made shorter here.
        if (!(error instanceof RpcError) || error.kind !== 'too-large' || part.length === 1) throw error;
        this.maxBatch = Math.max(1, Math.floor(part.length / 2));
      }
    }
    return answers;
  }

  private async batchOnce(
    calls: readonly RpcCall[],
    signal: AbortSignal | undefined,
    parse: (body: Buffer) => unknown,
  ): Promise<RpcAnswer[]> {
    const answers: (RpcAnswer | undefined)[] = new Array(calls.length);
    let open = calls.map((_, index) => index);
    for (let attempt = 0; ; attempt++) {
      const limited = await this.roundTrip(calls, open, answers, parse, signal);
      if (limited === null) return answers as RpcAnswer[];
      const pause = limited.retryAfterMs ?? Math.min(250 * 2 ** attempt, 10_000);
      this.concurrency.tooMuch(pause);
      if (attempt >= this.options.rateLimitRetries) throw limited;
      open = open.filter((index) => answers[index] === undefined);
    }
  }

  /** One HTTP exchange; fills `answers`. Returns the error when the node asked to slow down, null when all is answered. */
  private async roundTrip(
    calls: readonly RpcCall[],
    open: readonly number[],
    answers: (RpcAnswer | undefined)[],
    parse: (body: Buffer) => unknown,
    signal?: AbortSignal,
  ): Promise<RpcError | null> {
    const firstId = this.nextId;
    this.nextId += open.length;
    const envelopes = open.map((call, n) => ({ jsonrpc: '2.0', id: firstId + n, ...calls[call]! }));
    let parsed: unknown;
    try {
      const body = await this.post(JSON.stringify(envelopes.length === 1 ? envelopes[0] : envelopes), signal);
      parsed = parse(body);
    } catch (error) {
      if (error instanceof RpcError && error.kind === 'rate-limited') return error;
      throw error;
    }
    if (!Array.isArray(parsed)) parsed = [parsed];
    let limited: RpcError | null = null;
    let answered = 0;
    for (const item of parsed as Record<string, unknown>[]) {
      if (typeof item !== 'object' || item === null) throw this.error('invalid', 'an answer that is no object');
      const failure = item.error === undefined || item.error === null ? null : this.readError(item.error);
      const n = typeof item.id === 'number' ? item.id - firstId : Number.NaN;
      if (!(n >= 0 && n < open.length)) {
        // An error without id speaks about the request as a whole.
        if (failure?.kind === 'rate-limited') return failure;
        throw failure ?? this.error('invalid', 'an answer to another request');
      }
      if (failure?.kind === 'rate-limited') {
        limited = failure;
      } else {
        if (failure === null && !('result' in item)) throw this.error('invalid', 'an answer without result or error');
        if (answers[open[n]!] !== undefined) throw this.error('invalid', 'two answers to one call');
        answers[open[n]!] = failure ? { error: failure } : { result: item.result };
      }
      answered++;
    }
    if (answered < open.length) throw this.error('invalid', `${answered} answers to ${open.length} calls`);
    if (limited === null) this.concurrency.succeeded();
    return limited;
  }

  protected parse(body: Buffer): unknown {
    try {
      return JSON.parse(body.toString(this.charset));
    } catch {
      throw this.error('invalid', 'an answer that is not JSON');
    }
  }

  private readError(value: unknown): RpcError {
    const { code, message, data } = (typeof value === 'object' ? value : { message: value }) as Record<string, unknown>;
    const text = String(message ?? 'unknown error');
    const seconds =
      typeof data === 'object' && data !== null ? (data as Record<string, unknown>).backoff_seconds : null;
    const pause = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, 60_000) : null;
    return this.error(this.classify(Number(code), text), text, pause);
  }

  /** What an error object of this family of nodes means. */
  protected abstract classify(code: number, message: string): RpcError['kind'];

  /** A node's words without its URL: for callers that pass on what it said. */
  hide(text: string): string {
    return hideUrl(text, this.url);
  }

  /** One exchange whose answer the caller reads; the pace of the endpoint follows from how it ended. */
  async ask(body: string, signal?: AbortSignal): Promise<ByteChunks> {
    try {
      const answer = await this.postParts(body, signal);
      this.concurrency.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof RpcError && error.kind === 'rate-limited') this.concurrency.tooMuch(0);
      throw error;
    }
  }

  /** The bytes of one answer, within the limits. */
  async post(body: string, signal?: AbortSignal): Promise<Buffer> {
    return (await this.postParts(body, signal)).joined();
  }

  private postParts(body: string, signal?: AbortSignal): Promise<ByteChunks> {
    return this.concurrency.run(async () => {
      signal?.throwIfAborted();
      this.requests++;
      try {
        return await this.exchange(body, signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        this.errors++;
        if (error instanceof RpcError) throw error;
        const { code, message } = error as { code?: unknown; message?: string };
        throw this.error('transport', typeof code === 'string' ? code : (message ?? 'failed'));
      }
    });
  }

  private async exchange(body: string, signal?: AbortSignal): Promise<ByteChunks> {
    const { timeoutMs, maxResponseBytes: mostBytes } = this.options;
    const { postHeaders: headers, target: url } = this;
    const tooLarge = (): Error => this.error('too-large', `an answer above ${mostBytes} bytes`);
    const answer = await postBytes(this.dispatcher, { url, headers, body, timeoutMs, mostBytes, tooLarge }, signal);
    let whole = answer.body;
    if (answer.headers['content-encoding'] === 'gzip') {
      whole = new ByteChunks([await gunzipAsync(whole.joined(), { maxOutputLength: mostBytes })]);
    }
    if (answer.status === 429) throw this.error('rate-limited', 'HTTP 429', retryAfter(answer.headers));
    if (answer.status === 413) throw this.error('too-large', 'HTTP 413');
    // Some nodes answer JSON-RPC errors with a 4xx or 5xx; the body then says more than the status.
    const first = whole.list[0]?.[0];
    const looksJson = first === 0x7b || first === 0x5b;
    if (answer.status >= 300 && !looksJson) {
      const retry = answer.status === 503 ? retryAfter(answer.headers) : null;
      throw this.error(retry === null ? 'server' : 'rate-limited', `HTTP ${answer.status}`, retry);
    }
    return whole;
  }
}

/** Retry-After in milliseconds: seconds or a date, at most a minute. */
function retryAfter(headers: Record<string, string | string[] | undefined>): number | null {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 60_000) : null;
}
