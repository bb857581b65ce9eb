import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, request } from 'undici';
import { redact } from '../rpc/rpc-error.js';
import { Refusal } from './refusal.js';

const gunzipAsync = promisify(gunzip);

export interface ProbeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What one call of a request was answered: its result, or the sentence and code of its refusal. */
type ProbeAnswer = { readonly result: unknown; readonly refusal?: undefined } | { readonly refusal: Refusal };

export interface ProbeReply {
  /** In the order of the calls. */
  readonly answers: readonly ProbeAnswer[];
  /** As they came over the wire, compressed where the node compresses. */
  readonly bytes: number;
  readonly ms: number;
}

export interface ProbeNodeOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly mostBytes: number;
  readonly connections: number;
  readonly signal: AbortSignal;
}

/** What was asked of a node so far. */
export interface ProbeTraffic {
  requests: number;
  calls: number;
  bytes: number;
}

/**
 * A node as a stranger meets it: each request is sent once and as it is, so that what the node refuses is seen. Invariant: no text of
 * a refusal holds the URL of the node.
 */
export class ProbeNode {
  readonly traffic: ProbeTraffic = { requests: 0, calls: 0, bytes: 0 };
  private readonly agent: Agent;

  constructor(private readonly options: ProbeNodeOptions) {
    this.agent = new Agent({ connections: options.connections, pipelining: 1 });
  }

  /** One request with these calls, as a list where there are several. A Refusal where it is refused as a whole. */
  async ask(calls: readonly ProbeCall[]): Promise<ProbeReply> {
    const envelopes = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
    this.traffic.requests++;
    this.traffic.calls += calls.length;
    const started = performance.now();
    const { text, bytes, status, retryAfterMs } = await this.post(
      JSON.stringify(calls.length === 1 ? envelopes[0] : envelopes),
    );
    const ms = performance.now() - started;
    const parsed = jsonOf(text);
    if (parsed === null) {
      throw this.refusal(status >= 300 ? `HTTP ${status}` : 'an answer that is no JSON', { status, retryAfterMs });
    }
    const items = (Array.isArray(parsed) ? parsed : [parsed]) as Record<string, unknown>[];
    const answers = new Array<ProbeAnswer | undefined>(calls.length).fill(undefined);
    for (const item of items) {
      const id = Number(item?.id);
      const refusal = this.readRefusal(item?.error, status, retryAfterMs);
      const known = item?.id !== null && Number.isInteger(id) && id >= 0 && id < calls.length;
      if (known) answers[id] = refusal === null ? { result: item.result } : { refusal };
      else if (refusal !== null) throw refusal;
    }
    if (answers.includes(undefined)) {
      const answered = answers.filter((answer) => answer !== undefined).length;
      throw this.refusal(`${answered} answers to ${calls.length} calls (HTTP ${status})`, { status, retryAfterMs });
    }
    return { answers: answers as ProbeAnswer[], bytes, ms };
  }

  /** The result of one call; its refusal is thrown. */
  async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const { answers } = await this.ask([{ method, params }]);
    const [answer] = answers;
    if (answer!.refusal !== undefined) throw answer!.refusal;
    return answer!.result as T;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async post(
    body: string,
  ): Promise<{ text: string; bytes: number; status: number; retryAfterMs: number | null }> {
    const { url, timeoutMs, mostBytes, signal } = this.options;
    try {
      const answer = await request(url, {
        ...{
          method: 'POST',
          body,
          dispatcher: this.agent,
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        },
        headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer.body) {
        bytes += (chunk as Buffer).length;
        if (bytes > mostBytes) throw new Error(`an answer above ${mostBytes} bytes`);
        chunks.push(chunk as Buffer);
      }
      this.traffic.bytes += bytes;
      let whole = Buffer.concat(chunks);
      if (answer.headers['content-encoding'] === 'gzip')
        whole = await gunzipAsync(whole, { maxOutputLength: mostBytes });
      return {
        text: whole.toString('utf8'),
        bytes,
        status: answer.statusCode,
        retryAfterMs: retryAfter(answer.headers),
      };
    } catch (error) {
      signal.throwIfAborted();
      const { name, code, message } = error as { name?: string; code?: string | number; message?: string };
      const words = typeof code === 'string' ? code : (message ?? 'failed');
      throw this.refusal(name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : words, {});
    }
  }

  private readRefusal(error: unknown, status: number, retryAfterMs: number | null): Refusal | null {
    if (error === undefined || error === null) return null;
    const { code, message } = (typeof error === 'object' ? error : { message: error }) as Record<string, unknown>;
    return this.refusal(String(message ?? 'refused without a word'), {
      ...{ status, retryAfterMs, code: typeof code === 'number' ? code : null },
    });
  }

  private refusal(sentence: string, about: ConstructorParameters<typeof Refusal>[1]): Refusal {
    return new Refusal(redact(sentence, this.options.url), about);
  }
}

function jsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function retryAfter(headers: Record<string, string | string[] | undefined>): number | null {
  const header = headers['retry-after'];
  return typeof header === 'string' && /^\d+$/.test(header) ? Math.min(Number(header), 60) * 1000 : null;
}
