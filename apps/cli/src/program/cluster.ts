import { setTimeout as sleep } from 'node:timers/promises';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { Redactor } from '#libs/platform/redactor.js';

/**
 * The node that commands speak to, over HTTP alone. Requests may be repeated: every one of them is a question, or a signed
 * transaction that can land once. An error never holds the URL as it was given, which may carry a key.
 */
export interface AccountInfo {
  owner: Hex;
  lamports: bigint;
  data: Buffer;
  executable: boolean;
}

export interface Blockhash {
  hash: string;
  /** Transactions with it cannot land above this height. */
  lastValidHeight: number;
}

export interface SignatureStatus {
  slot: number;
  /** As the runtime names it; null for a success. */
  err: unknown;
  settled: boolean;
}

/** What the node answered instead of a result. */
export class ClusterError extends TidepoolError {
  constructor(
    readonly rpcCode: number,
    message: string,
    readonly data: unknown,
  ) {
    super('node_refused', message);
  }
}

const COMMITMENT = { commitment: 'confirmed' } as const;
const TRIES = 5;
const TIMEOUT_MS = 30_000;
/** Clusters that are never a local node, whatever address a tunnel gives them. */
const PUBLIC_GENESIS: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  '4uhcVJyU9pJkvQyUS88uRDiswHXSCkY3zQawwpjk2NsY': 'testnet',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkzBczu: 'devnet',
};

export class Cluster {
  /** The URL without what might be a key. */
  readonly shown: string;
  private readonly target: string;
  private readonly headers: Record<string, string> = { 'content-type': 'application/json' };
  private readonly redactor: Redactor;

  constructor(
    url: string,
    private readonly signal: AbortSignal,
  ) {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
      throw new TidepoolError('usage', '--url must be an http or https URL of a Solana RPC node');
    }
    const { username, password } = parsed;
    this.redactor = new Redactor([username, password, ...parsed.searchParams.values()]);
    this.shown = this.redactor.redact(url);
    if (username !== '' || password !== '') {
      const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      this.headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
      parsed.username = '';
      parsed.password = '';
    }
    this.target = parsed.href;
  }

  /** The name of a public cluster, `local` for a node of this machine that is none, `private` for others. */
  async name(): Promise<string> {
    const known = PUBLIC_GENESIS[await this.call<string>('getGenesisHash', [])];
    if (known !== undefined) return known;
    const { hostname } = new URL(this.target);
    return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ? 'local' : 'private';
  }

  async account(id: Hex): Promise<AccountInfo | null> {
    const config = { ...COMMITMENT, encoding: 'base64' };
    const { value } = await this.call<{ value: RawAccount | null }>('getAccountInfo', [base58(id), config]);
    if (!value) return null;
    const { lamports, executable } = value;
    const owner = solanaIds.parseAddress(value.owner);
    if (owner === null) throw new TidepoolError('node_answer', `${this.shown}: an account without an owner`);
    return { owner, lamports: BigInt(lamports), data: Buffer.from(value.data[0], 'base64'), executable };
  }

  async balance(id: Hex): Promise<bigint> {
    return BigInt((await this.call<{ value: number }>('getBalance', [base58(id), COMMITMENT])).value);
  }

  /** Least balance of an account of that many bytes. */
  async rent(bytes: number): Promise<bigint> {
    return BigInt(await this.call<number>('getMinimumBalanceForRentExemption', [bytes]));
  }

  async blockhash(): Promise<Blockhash> {
    type Answer = { value: { blockhash: string; lastValidBlockHeight: number } };
    const { value } = await this.call<Answer>('getLatestBlockhash', [COMMITMENT]);
    return { hash: value.blockhash, lastValidHeight: value.lastValidBlockHeight };
  }

  height = (): Promise<number> => this.call<number>('getBlockHeight', [COMMITMENT]);
  slot = (): Promise<number> => this.call<number>('getSlot', [COMMITMENT]);

  send(wire: Buffer, skipPreflight: boolean): Promise<string> {
    const config = { encoding: 'base64', skipPreflight, preflightCommitment: 'confirmed', maxRetries: 0 };
    return this.call<string>('sendTransaction', [wire.toString('base64'), config]);
  }

  /** What running it would end in; null for a success. */
  async simulate(wire: Buffer): Promise<unknown> {
    const config = { ...COMMITMENT, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
    type Answer = { value: { err: unknown } };
    return (await this.call<Answer>('simulateTransaction', [wire.toString('base64'), config])).value.err;
  }

  async statuses(signatures: readonly string[]): Promise<(SignatureStatus | null)[]> {
    const found: (SignatureStatus | null)[] = [];
    for (let at = 0; at < signatures.length; at += 256) {
      const { value } = await this.call<{ value: (RawStatus | null)[] }>('getSignatureStatuses', [
        signatures.slice(at, at + 256),
      ]);
      for (const status of value) {
        const settled = status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';
        found.push(status && { slot: status.slot, err: status.err, settled });
      }
    }
    return found;
  }

  /** A pause that ends at once when the command is cancelled. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal });
  }

  async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const { answer, problem } = await this.once<T>(method, params);
      if (answer) {
        if (answer.error) throw this.refusal(method, answer.error);
        return answer.result as T;
      }
      this.signal.throwIfAborted();
      if (attempt === TRIES) {
        throw new TidepoolError('node_unreachable', `${this.shown}: ${problem}; check --url and try again`);
      }
      await this.pause(150 * 2 ** attempt);
    }
  }

  /** One request; without an answer the reason, and it may be tried again. */
  private async once<T>(method: string, params: readonly unknown[]): Promise<{ answer?: Answer<T>; problem?: string }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    let status: number;
    let text: string;
    try {
      const response = await fetch(this.target, { method: 'POST', headers: this.headers, body, signal });
      status = response.status;
      text = await response.text();
    } catch (error) {
      const cause = (error as { cause?: { code?: string; message?: string } }).cause;
      return { problem: this.redactor.redact(cause?.code ?? cause?.message ?? (error as Error).message) };
    }
    if (status === 401 || status === 403) {
      throw new TidepoolError('node_refused', `${this.shown}: HTTP ${status}; check the key in --url`);
    }
    const answer = parsed<T>(text);
    if (!answer || status === 429 || status >= 500) return { problem: `HTTP ${status} without a usable answer` };
    // Rate limits also come as errors of the protocol.
    return answer.error?.code === 429 ? { problem: 'the node limits requests' } : { answer };
  }

  private refusal(method: string, { code, message, data }: NonNullable<Answer<never>['error']>): ClusterError {
    return new ClusterError(code, `${this.shown}: ${method}: ${this.redactor.redact(message)}`, data);
  }
}

interface RawAccount {
  owner: string;
  lamports: number;
  data: [string, string];
  executable: boolean;
}

interface RawStatus {
  slot: number;
  err: unknown;
  confirmationStatus: string | null;
}

interface Answer<T> {
  result?: T;
  error?: { code: number; message: string; data?: unknown };
}

const base58 = solanaIds.formatAddress;

function parsed<T>(text: string): Answer<T> | null {
  try {
    const value = JSON.parse(text) as Answer<T> | null;
    return typeof value === 'object' && value !== null && ('result' in value || 'error' in value) ? value : null;
  } catch {
    return null;
  }
}
