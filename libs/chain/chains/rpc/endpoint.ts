import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { ByteChunks } from '#libs/core/byte-chunks.js';
import { AdaptiveSize } from './adaptive-size.js';
import { idOf, isRepeated, mayBeOfList, type RpcAnswer, type RpcCall, refusalOfAll, saysLength } from './call-list.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { CoolDown, NodeState } from './node-state.js';
import { type Posted, postBytes } from './post-bytes.js';
import { MOST, type SizeName, START } from './question-sizes.js';
import { readBody, refusalIn } from './refusal-body.js';
import { type NodeFamily, readRefusal } from './refusals.js';
import { pauseIn, retryAfter } from './retry-pause.js';
import { hideUrl, RpcError, redact } from './rpc-error.js';

const gunzipAsync = promisify(gunzip);

export interface EndpointOptions {
  timeoutMs: number;
  maxResponseBytes: number;
  maxConcurrency: number;
  /** Attempts on this endpoint while it only says "too many requests". */
  rateLimitRetries: number;
  /** What is known of the node by others who ask it, too. */
  state?: NodeState;
}

/** A list of fewer bytes is too long by its calls, not by its bytes. */
const FEW_BYTES = 128 * 1024;

/**
 * One node behind one URL. Keeps its own adaptive concurrency, honours Retry-After, and learns how large a question it
 * takes. Invariant: a list of calls is cut until the node takes it, down to single calls; every failure is an RpcError whose
 * text cannot hold the URL.
 */
export abstract class JsonRpcEndpoint {
  /** What is known of the node by all who ask it, and the cool-down of this one alone. */
  readonly state: NodeState;
  readonly ownCoolDown = new CoolDown();
  requests = 0;
  errors = 0;
  /** Tasks that run on it now. */
  running = 0;

  /** How answers are decoded: latin1 is several times faster where everything that is read is ASCII. */
  protected abstract readonly charset: 'latin1' | 'utf8';
  private readonly concurrency: ConcurrencyLimit;
  private readonly target: URL;
  private readonly postHeaders: Record<string, string>;
  private nextId = 1;

  constructor(
    readonly index: number,
    private readonly url: string,
    private readonly dispatcher: Dispatcher,
    private readonly options: EndpointOptions,
  ) {
    this.state = options.state ?? new NodeState();
    this.concurrency = new ConcurrencyLimit(Math.min(8, options.maxConcurrency), options.maxConcurrency);
    this.target = new URL(url);
    const host = this.target.hostname;
    const compressed = host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
    this.postHeaders = { 'content-type': 'application/json', ...(compressed && { 'accept-encoding': 'gzip' }) };
  }

  /** Failures in a row. */
  get failures(): number {
    return Math.max(this.state.coolDown.failures, this.ownCoolDown.failures);
  }

  /** The end of the cool-down, by `performance.now()`. */
  get coolUntil(): number {
    return Math.max(this.state.coolDown.until, this.ownCoolDown.until);
  }

  /** It is left alone at least until then, by those who ask through this endpoint. */
  restUntil(until: number): void {
    this.ownCoolDown.until = Math.max(this.ownCoolDown.until, until);
  }

  /** Ends its cool-down for all who ask the node. */
  wake(): void {
    for (const coolDown of [this.state.coolDown, this.ownCoolDown])
      coolDown.until = Math.min(coolDown.until, performance.now());
  }

  get coolReason(): string | null {
    const { state, ownCoolDown } = this;
    return (ownCoolDown.until > state.coolDown.until ? ownCoolDown : state.coolDown).reason;
  }

  get disabled(): string | null {
    return this.state.disabled;
  }

  set disabled(why: string | null) {
    this.state.disabled = why;
  }

  get verified(): boolean {
    return this.state.verified;
  }

  set verified(is: boolean) {
    this.state.verified = is;
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

  /** How large a question of this kind may be. */
  sizeOf(name: SizeName): AdaptiveSize {
    const { sizes } = this.state;
    let size = sizes.get(name);
    if (size === undefined) {
      size = new AdaptiveSize(MOST[name], START[name]);
      sizes.set(name, size);
    }
    return size;
  }

  /** Answers in the order of the calls. Throws only when the endpoint as a whole failed. */
  async batch(
    calls: readonly RpcCall[],
    signal?: AbortSignal,
    parse = (body: Buffer) => this.parse(body),
  ): Promise<RpcAnswer[]> {
    const texts = calls.map(
      ({ method, params }) => `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
    );
    const answers: RpcAnswer[] = [];
    while (answers.length < texts.length) {
      const part = this.nextList(texts, answers.length);
      let given: RpcAnswer[] = [];
      let refusal: RpcError | null;
      try {
        given = await this.batchOnce(part, signal, parse);
        refusal = refusalOfAll(given);
      } catch (error) {
        if (!(error instanceof RpcError) || part.length === 1 || !mayBeOfList(error)) throw error;
        refusal = error;
      }
      if (refusal === null || part.length === 1) {
        this.sizeOf('list').fine(part.length);
        for (const answer of given) answers.push(answer);
        continue;
      }
      if (!saysLength(refusal)) {
        // A single question tells whether the node refuses the list or everything.
        const [single] = await this.batchOnce(part.slice(0, 1), signal, parse);
        answers.push(single!);
        if (single!.error?.kind === refusal.kind) {
          if (given.length === 0) throw refusal;
          for (const answer of given.slice(1)) answers.push(answer);
          continue;
        }
      }
      this.shortenLists(part);
    }
    return answers;
  }

  /**
   * Asks for some blocks in parts as large as this node takes. After a refusal that does not speak of a size one block alone
   * is asked for: it tells whether the node refuses the size or everything.
   */
  async inParts<T>(
    name: SizeName,
    from: number,
    to: number,
    ask: (first: number, last: number) => Promise<T>,
  ): Promise<T[]> {
    const size = this.sizeOf(name);
    const parts: T[] = [];
    for (let at = from; at <= to; ) {
      const last = Math.min(to, at + size.size - 1);
      const length = last - at + 1;
      try {
        parts.push(await ask(at, last));
        size.fine(length);
        at = last + 1;
      } catch (error) {
        if (!(error instanceof RpcError) || length === 1 || !mayBeOfSize(error)) throw error;
        if (error.kind !== 'too-large') {
          parts.push(await ask(at, at));
          at++;
        }
        size.tooMuch(length);
      }
    }
    return parts;
  }

  /** As many calls as the node takes in one list, by number and by bytes. */
  private nextList(texts: readonly string[], start: number): string[] {
    const end = Math.min(texts.length, start + this.sizeOf('list').size);
    const most = this.sizeOf('list bytes').size;
    let bytes = 0;
    let at = start;
    while (at < end && (at === start || bytes + texts[at]!.length <= most)) bytes += texts[at++]!.length;
    return texts.slice(start, at);
  }

  private shortenLists(part: readonly string[]): void {
    const bytes = part.reduce((sum, text) => sum + text.length, 0);
    if (bytes > FEW_BYTES) this.sizeOf('list bytes').tooMuch(bytes);
    else this.sizeOf('list').tooMuch(part.length);
  }

  private async batchOnce(
    calls: readonly string[],
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
      const left = open.filter((index) => answers[index] === undefined);
      // Where calls are counted, a list that is longer than the limit never passes.
      const stuck = calls.length > 1 && left.length === open.length && attempt > 0;
      if (stuck || attempt >= this.options.rateLimitRetries) throw limited;
      open = left;
    }
  }

  /** One HTTP exchange; fills `answers`. Returns the error when the node asked to slow down, null when all is answered. */
  private async roundTrip(
    calls: readonly string[],
    open: readonly number[],
    answers: (RpcAnswer | undefined)[],
    parse: (body: Buffer) => unknown,
    signal?: AbortSignal,
  ): Promise<RpcError | null> {
    const firstId = this.nextId;
    this.nextId += open.length;
    const envelopes = open.map((call, n) => `{"jsonrpc":"2.0","id":${firstId + n},${calls[call]!}`);
    let parsed: unknown;
    try {
      const body = await this.post(envelopes.length === 1 ? envelopes[0]! : `[${envelopes.join(',')}]`, signal);
      parsed = parse(body);
    } catch (error) {
      if (error instanceof RpcError && error.kind === 'rate-limited') return error;
      throw error;
    }
    if (!Array.isArray(parsed)) parsed = [parsed];
    let limited: RpcError | null = null;
    const seen = new Set<number>();
    for (const item of parsed as Record<string, unknown>[]) {
      if (typeof item !== 'object' || item === null) throw this.error('invalid', 'an answer that is no object');
      const n = idOf(item.id) - firstId;
      const call = n >= 0 && n < open.length ? calls[open[n]!]! : null;
      const failure = item.error === undefined || item.error === null ? null : this.readError(item.error, call);
      if (!(n >= 0 && n < open.length)) {
        // An error without id speaks about the request as a whole.
        if (failure?.kind === 'rate-limited') return failure;
        throw failure ?? this.wholeRefusal(item);
      }
      if (failure === null && !('result' in item)) throw this.error('invalid', 'an answer without result or error');
      if (seen.has(n)) {
        if (!isRepeated(answers[open[n]!], item)) throw this.error('invalid', 'two answers to one call');
        continue;
      }
      seen.add(n);
      if (failure?.kind === 'rate-limited') limited = failure;
      else answers[open[n]!] = failure ? { error: failure } : { result: item.result };
    }
    if (seen.size < open.length) throw this.error('invalid', `${seen.size} answers to ${open.length} calls`);
    if (limited === null) this.concurrency.succeeded();
    return limited;
  }

  /** An object that is no answer to a call: the refusal that it holds in some form. */
  private wholeRefusal(item: Record<string, unknown>): RpcError {
    const { code, message } = refusalIn(item);
    if (message === '') return this.error('invalid', 'an answer to another request');
    return this.error(readRefusal(this.family, { status: 200, code, message }), message);
  }

  protected parse(body: Buffer): unknown {
    try {
      return JSON.parse(body.toString(this.charset));
    } catch {
      throw this.error('invalid', 'an answer that is not JSON');
    }
  }

  private readError(value: unknown, call: string | null): RpcError {
    const { code, message } = refusalIn({ error: value });
    const kind = readRefusal(this.family, { status: 200, code, message });
    const method = call === null || kind !== 'method-missing' ? null : /^"method":"(\w+)"/.exec(call)![1]!;
    const named = method === null || message.includes(method) ? message : `${method}: ${message}`;
    const text = named === '' ? 'unknown error' : named;
    return this.error(kind, text, pauseIn(value, text));
  }

  /** Whose words and codes its refusals are in. */
  protected abstract readonly family: NodeFamily;

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
        const words = typeof code === 'string' ? code : (message ?? 'failed');
        throw this.error(CUT_OFF.test(words) ? 'unanswered' : 'transport', words);
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
    if (answer.status >= 300) this.judgeStatus(answer.status, answer.headers, whole);
    return whole;
  }

  /**
   * Some nodes answer with a 4xx or 5xx: what the body says counts more than the status. Errors of single calls are for the
   * caller; what speaks about the whole exchange is thrown.
   */
  private judgeStatus(status: number, headers: Posted['headers'], body: ByteChunks): void {
    const text = body.joined().toString('utf8');
    const { code, message, ofCalls } = readBody(text);
    const kind = readRefusal(this.family, { status, code, message });
    if (ofCalls && kind !== 'rate-limited' && kind !== 'list-too-long') return;
    const retry = retryAfter(headers);
    const words = message === '' ? `HTTP ${status}` : `HTTP ${status}: ${message}`;
    if (kind === 'rate-limited' || (status === 503 && retry !== null)) {
      throw this.error('rate-limited', words, retry ?? pauseIn(null, message));
    }
    throw this.error(kind, words);
  }
}

/** A limit of the rate may count what an answer holds. */
const mayBeOfSize = (error: RpcError): boolean => error.maybeSize || error.kind === 'rate-limited';

/** The node took the question, and the answer did not come whole. */
const CUT_OFF =
  /timeout|no whole answer|UND_ERR_SOCKET|ECONNRESET|EPIPE|terminated|other side closed|CONTENT_LENGTH_MISMATCH|aborted|Z_BUF_ERROR|Z_DATA_ERROR|unexpected end/i;
