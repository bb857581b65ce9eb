import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

/** What a provider's plan does not allow; all of it may be left out. */
export interface PlanLimits {
  /** Calls in a list. */
  readonly list?: number;
  /** Blocks in a range of logs. */
  readonly range?: number;
  /** Addresses in a filter of logs. */
  readonly addresses?: number;
  /** Logs are given of named contracts only. */
  readonly wantsAddress?: boolean;
  /** Blocks below it have no logs: the answer is an empty list, and no error. */
  readonly silentBelow?: number;
  readonly missing?: readonly string[];
  /** Every n-th request is answered 429. */
  readonly tooOftenEvery?: number;
}

/** A node behind the rules of a plan, in words that no list of known sentences has. */
export class LimitedNode {
  readonly methods = new Map<string, number>();
  requests = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
    private readonly limits: PlanLimits,
  ) {}

  static async before(target: string, limits: PlanLimits): Promise<LimitedNode> {
    const server = createServer((request, response) => void node.serve(request, response));
    const node = new LimitedNode(server, target, limits);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString('utf8');
    const { tooOftenEvery, list } = this.limits;
    this.requests++;
    if (tooOftenEvery !== undefined && this.requests % tooOftenEvery === 0) {
      response.writeHead(429, { 'retry-after': '0' }).end('calme-toi');
      return;
    }
    const parsed = JSON.parse(body) as Call | Call[];
    const calls = [parsed].flat();
    for (const { method } of calls) this.methods.set(method, (this.methods.get(method) ?? 0) + 1);
    if (list !== undefined && Array.isArray(parsed) && parsed.length > list) {
      const error = { code: -32098, message: 'pas plus de quelques appels à la fois' };
      response.writeHead(403).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return;
    }
    const answers = await Promise.all(calls.map((call) => this.answer(call)));
    response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]));
  }

  private async answer(call: Call): Promise<object> {
    const refused = this.refusal(call);
    if (refused !== null) return { jsonrpc: '2.0', id: call.id, error: { code: -32099, message: refused } };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.target, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    });
    const given = (await answer.json()) as { result?: unknown };
    const { silentBelow } = this.limits;
    if (silentBelow !== undefined && call.method === 'eth_getLogs' && Array.isArray(given.result)) {
      given.result = (given.result as { blockNumber: string }[]).filter(
        (log) => Number(log.blockNumber) >= silentBelow,
      );
    }
    return given;
  }

  private refusal({ method, params }: Call): string | null {
    const { missing = [], range, addresses, wantsAddress = false } = this.limits;
    if (missing.includes(method)) return 'diese Frage wird hier nicht beantwortet';
    if (method !== 'eth_getLogs') return null;
    const { fromBlock, toBlock, blockHash, address } = params[0] as Record<string, string | string[] | undefined>;
    if (wantsAddress && address === undefined) return 'indique un contrat';
    if (addresses !== undefined && Array.isArray(address) && address.length > addresses) return 'trop de contrats';
    if (range !== undefined && blockHash === undefined && Number(toBlock) - Number(fromBlock) + 1 > range) {
      return 'ten zakres jest zbyt szeroki';
    }
    return null;
  }
}
