import { Pool } from 'undici';
import type { Hex } from 'viem';
import { decodeAggregate3, encodeAggregate3 } from '#libs/chain/chains/evm/contract-reader.js';
import { TidepoolError } from '#libs/core/errors.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import { hexResult } from './hex-result.js';

/** JSON-RPC to the local node: single calls, batches, and many view calls in one. */
export interface Request {
  method: string;
  params?: readonly unknown[];
}

export interface ViewCall {
  to: string;
  data: Hex;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { code: number; message: string };
}

const TIMEOUT_MS = 120_000;

export class AnvilRpc {
  private readonly pool: Pool;

  constructor(url: string) {
    this.pool = new Pool(url, { connections: 4, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  }

  async call<T = unknown>(method: string, params: readonly unknown[] = []): Promise<T> {
    return (await this.batch([{ method, params }]))[0] as T;
  }

  /** Answers in the order of the requests; the first error throws. */
  async batch(requests: readonly Request[]): Promise<unknown[]> {
    const results = new Array<unknown>(requests.length);
    for (const { id, result, error } of await this.exchange(requests)) {
      if (error) {
        const method = requests[id]?.method ?? 'request';
        throw new TidepoolError('anvil_refused', `${method}: ${error.message} (${error.code})`);
      }
      results[id] = result;
    }
    return results;
  }

  /** For requests that the node may refuse one by one: whether it took each. */
  async offer(requests: readonly Request[]): Promise<boolean[]> {
    const taken = new Array<boolean>(requests.length);
    for (const { id, error } of await this.exchange(requests)) taken[id] = error === undefined;
    return taken;
  }

  /** A result that is long hex text, as bytes, piece by piece. */
  async *bytes(method: string): AsyncGenerator<Buffer> {
    yield* hexResult((await this.post({ jsonrpc: '2.0', id: 0, method, params: [] })).body);
  }

  private async exchange(requests: readonly Request[]): Promise<Answer[]> {
    if (requests.length === 0) return [];
    const response = await this.post(
      requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params: params ?? [] })),
    );
    const text = await response.body.text();
    const answers = response.statusCode === 200 ? (JSON.parse(text) as Answer[]) : null;
    if (!Array.isArray(answers)) {
      throw new TidepoolError('anvil_refused', `the node answered ${response.statusCode}: ${text.slice(0, 200)}`);
    }
    return answers;
  }

  private post(body: unknown) {
    return this.pool.request({
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Returned data of each call, null where it reverted. All from one state. */
  async view(calls: readonly ViewCall[]): Promise<(Hex | null)[]> {
    if (calls.length === 0) return [];
    const input = encodeAggregate3(
      calls.map(({ to, data }) => ({ to: to.slice(2).toLowerCase(), data: data.slice(2) })),
    );
    const call = { to: OFFICIAL.multicall3, data: `0x${input}` };
    const results = decodeAggregate3((await this.call<Hex>('eth_call', [call, 'latest'])).slice(2), calls.length);
    if (results === null) throw new TidepoolError('anvil_refused', 'eth_call: this is no answer of multicall3');
    return results.map((returned): Hex | null => (returned === null || returned === '' ? null : `0x${returned}`));
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
