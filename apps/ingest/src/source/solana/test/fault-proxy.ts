import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import WebSocket, { WebSocketServer } from 'ws';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { Answering } from './liar.js';

/** Everything that a proxy in front of a node can do wrong. A rate is a probability, drawn for each request or message. */
export interface ProxyFaults {
  /** HTTP 429 with Retry-After 0. */
  rateLimitRate: number;
  /** HTTP 500. */
  serverErrorRate: number;
  /** JSON-RPC error -32005: the node says that it is behind. */
  behindRate: number;
  /** The connection is cut before the answer. */
  dropRate: number;
  delayRate: number;
  delayMs: number;
  /** A block names another parent hash than it has. */
  lieParentRate: number;
  /** A block that is there is said to be skipped. */
  missingRate: number;
  /** The node does not know anything of the newest slots. */
  lagSlots: number;
  /** Tips as of some earlier question, while blocks are of now. */
  staleTipRate: number;
  /** What is confirmed is said to be final. */
  finalizedTip: boolean;
  /** No `blockSubscribe`. */
  hideBlocks: boolean;
  /** Transactions of version 1 are refused as bad parameters. */
  oldVersions: boolean;
  /** A pushed message is swallowed. */
  dropPushRate: number;
}

const NO_FAULTS: ProxyFaults = {
  ...{ rateLimitRate: 0, serverErrorRate: 0, behindRate: 0, dropRate: 0, delayRate: 0, delayMs: 10 },
  ...{ lieParentRate: 0, missingRate: 0, lagSlots: 0, staleTipRate: 0, finalizedTip: false, hideBlocks: false },
  ...{ oldVersions: false, dropPushRate: 0 },
};

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

/** A Solana node over HTTP and WebSocket on one port that passes questions on to another, with faults on demand. */
export class FaultProxy {
  readonly faults: ProxyFaults;
  readonly counts: Record<string, number> = {};
  private readonly random: SeededRandom;
  private readonly http: Server;
  private readonly sockets = new WebSocketServer({ noServer: true });
  private readonly connections = new Set<Socket>();
  private readonly upstreams = new Set<WebSocket>();
  private tip = 0;
  /** Alters what the node says of blocks. */
  liar: Answering | null = null;

  private constructor(
    private readonly rpcUrl: string,
    private readonly wsUrl: string,
    seed: number,
    faults: Partial<ProxyFaults>,
  ) {
    this.faults = { ...NO_FAULTS, ...faults };
    this.random = new SeededRandom(seed);
    this.http = createServer((request, response) => void this.serve(request, response));
    this.http.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.on('close', () => this.connections.delete(socket));
    });
    this.http.on('upgrade', (request, socket, head) => {
      this.sockets.handleUpgrade(request, socket, head, (client) => this.relay(client));
    });
  }

  static async start(
    node: { rpcUrl: string; wsUrl: string },
    seed: number,
    faults: Partial<ProxyFaults> = {},
  ): Promise<FaultProxy> {
    const proxy = new FaultProxy(node.rpcUrl, node.wsUrl, seed, faults);
    await new Promise<void>((resolve) => proxy.http.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  get socketUrl(): string {
    return this.url.replace('http', 'ws');
  }

  /** Cuts every open connection. */
  cut(): void {
    for (const connection of this.connections) connection.destroy();
  }

  async close(): Promise<void> {
    for (const upstream of this.upstreams) upstream.terminate();
    const closed = new Promise((resolve) => this.http.close(resolve));
    this.cut();
    await closed;
  }

  private drawn(rate: number, fault: string): boolean {
    if (rate <= 0 || !this.random.chance(rate)) return false;
    this.counts[fault] = (this.counts[fault] ?? 0) + 1;
    return true;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { faults } = this;
    if (this.drawn(faults.delayRate, 'delay')) await new Promise((resolve) => setTimeout(resolve, faults.delayMs));
    if (this.drawn(faults.dropRate, 'drop')) return void response.destroy();
    if (this.drawn(faults.rateLimitRate, 'rateLimit')) {
      return void response.writeHead(429, { 'retry-after': '0' }).end('slow down');
    }
    if (this.drawn(faults.serverErrorRate, 'serverError')) return void response.writeHead(500).end('oops');
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Call | Call[];
    try {
      const answer = Array.isArray(body)
        ? await Promise.all(body.map((call) => this.answer(call)))
        : await this.answer(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    } catch {
      response.destroy();
    }
  }

  private async answer(call: Call): Promise<object> {
    const { faults } = this;
    const { id, method, params } = call;
    this.counts[method] = (this.counts[method] ?? 0) + 1;
    const fail = (code: number, message: string): object => ({ jsonrpc: '2.0', id, error: { code, message } });
    if (this.drawn(faults.behindRate, 'behind')) return fail(-32005, 'Node is behind by 150 slots');
    const config = params.at(-1) as { maxSupportedTransactionVersion?: number } | undefined;
    if (faults.oldVersions && config?.maxSupportedTransactionVersion === 1) {
      this.counts.oldVersions = (this.counts.oldVersions ?? 0) + 1;
      return fail(-32602, 'Invalid params: maxSupportedTransactionVersion');
    }
    const known = faults.lagSlots > 0 ? (await this.tipOf()) - faults.lagSlots : Number.POSITIVE_INFINITY;
    if (method === 'getBlock' && (params[0] as number) > known) return fail(-32004, `Block not available for slot`);
    if (method === 'getBlock' && this.drawn(faults.missingRate, 'missing')) {
      return fail(-32007, `Slot ${params[0]} was skipped, or missing due to ledger jump to recent snapshot`);
    }
    const asked =
      faults.finalizedTip && method === 'getSlot' ? { ...call, params: [{ commitment: 'confirmed' }] } : call;
    const said = (await this.ask(asked)) as { result?: unknown };
    const ask = (other: { method: string; params: unknown[] }): Promise<unknown> => this.ask({ id: 1, ...other });
    const answer = this.liar === null ? said : ((await this.liar.alter(call, said, ask)) as { result?: unknown });
    if (method === 'getSlot') {
      const now = Math.min(answer.result as number, known);
      if (this.drawn(faults.staleTipRate, 'staleTip')) return { ...answer, result: Math.min(now, this.tip) };
      if (this.random.chance(0.3)) this.tip = now;
      return { ...answer, result: Math.max(0, now) };
    }
    if (/^getBlocks/.test(method)) {
      return { ...answer, result: (answer.result as number[])?.filter((slot) => slot <= known) };
    }
    if (method === 'getBlock' && answer.result && this.drawn(faults.lieParentRate, 'lieParent')) {
      const block = answer.result as { blockhash: string };
      return { ...answer, result: { ...block, previousBlockhash: block.blockhash } };
    }
    return answer;
  }

  private async tipOf(): Promise<number> {
    const call = { id: 1, method: 'getSlot', params: [{ commitment: 'confirmed' }] };
    return ((await this.ask(call)) as { result: number }).result;
  }

  private async ask(call: Call): Promise<unknown> {
    const answer = await fetch(this.rpcUrl, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...call }) });
    return answer.json();
  }

  private relay(client: WebSocket): void {
    const upstream = new WebSocket(this.wsUrl);
    this.upstreams.add(upstream);
    const early: string[] = [];
    upstream.on('open', () => {
      for (const text of early) upstream.send(text);
    });
    client.on('message', (data) => {
      const text = String(data);
      const { id, method } = JSON.parse(text) as Call;
      this.counts[method] = (this.counts[method] ?? 0) + 1;
      if (method === 'blockSubscribe' && this.faults.hideBlocks) {
        client.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
      } else if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
      else early.push(text);
    });
    upstream.on('message', (data) => {
      const text = String(data);
      const push = text.includes('Notification');
      if (push && this.drawn(this.faults.dropPushRate, 'dropPush')) return;
      if (client.readyState === WebSocket.OPEN) client.send(text);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => one.terminate());
      one.on('close', () => {
        this.upstreams.delete(upstream);
        other.terminate();
      });
    }
  }
}
