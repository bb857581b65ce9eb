// Room: a JSON-RPC node with faults on demand. May import core, chain/chains, devkit/chain-builder,
// devkit/chain-replay.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { BuilderChain, type ServedChain } from '#libs/devkit/chain-builder/served-chain.js';
import { AnswerBuffers } from './answer-buffers.js';
import { type FaultSettings, NO_FAULTS } from './fault-settings.js';
import { ResponseTampering } from './response-tampering.js';
import { FaultyNodeError, RpcNode } from './rpc-node.js';
import { type NodeSubscriber, Subscriptions } from './rpc-subscriptions.js';
import { type Body, errorText, parseBody, rateLimited, resultPieces, resultText, type WireCall } from './rpc-wire.js';

export { type FaultSettings, NO_FAULTS } from './fault-settings.js';

/** A JSON-RPC node over HTTP and WebSocket (one port for both) that makes exactly the configured faults. */
export interface FaultRpcOptions {
  chain: ChainBuilder | ServedChain;
  faults?: Partial<FaultSettings>;
  port?: number;
}

interface FaultRpcStats {
  /** Calls by method, each call of a batch counted. */
  methods: Record<string, number>;
  /** Faults by name. */
  faults: Record<string, number>;
  httpRequests: number;
  bytesOut: number;
}

export interface FaultRpc {
  readonly url: string;
  readonly wsUrl: string;
  readonly port: number;
  readonly chain: ServedChain;
  /** Change any field at any time. */
  readonly faults: FaultSettings;
  readonly stats: FaultRpcStats;
  /** Hides blocks above a height; null shows all. */
  setHead(height: number | null): void;
  /** Height that an honest answer names as the head. */
  head(): number;
  /** Notifies subscribers after a change of `faults.lagBlocks`; the chain and setHead notify by themselves. */
  refresh(): void;
  /** Cuts every open connection. */
  cutConnections(): void;
  close(): Promise<void>;
}

/** What happens to one request as a whole. */
type Fate = 'serve' | 'rateLimit' | 'rpcRateLimit' | 'cut' | 'drop' | 'truncate' | 'error';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

export async function startFaultRpc(options: FaultRpcOptions): Promise<FaultRpc> {
  const server = new FaultRpcServer(options);
  await server.listen(options.port ?? 0);
  return server;
}

class FaultRpcServer implements FaultRpc {
  readonly chain: ServedChain;
  readonly faults: FaultSettings;
  readonly stats: FaultRpcStats = { methods: {}, faults: {}, httpRequests: 0, bytesOut: 0 };
  private readonly buffers = new AnswerBuffers();
  private readonly random: SeededRandom;
  private readonly node: RpcNode;
  private readonly subscriptions: Subscriptions;
  private readonly http: Server;
  private readonly sockets: WebSocketServer;
  private readonly connections = new Set<Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly endWatch: () => void;
  private pinnedHead: number | null = null;

  constructor(options: FaultRpcOptions) {
    this.chain = options.chain instanceof ChainBuilder ? new BuilderChain(options.chain) : options.chain;
    this.faults = { ...NO_FAULTS, ...options.faults };
    this.random = new SeededRandom(this.faults.seed);
    const tampering = new ResponseTampering(this.faults, this.random, this.count);
    this.node = new RpcNode(this.chain, this.faults, tampering, () =>
      this.drawn(this.faults.nullBlockRate, 'nullBlock'),
    );
    this.subscriptions = new Subscriptions(
      this.chain,
      this.node,
      tampering,
      this.faults,
      this.random,
      () => this.head(),
      this.count,
    );
    this.http = createServer({ keepAlive: true }, (request, response) => this.onRequest(request, response));
    this.http.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.on('close', () => this.connections.delete(socket));
    });
    this.sockets = new WebSocketServer({ server: this.http });
    // The HTTP server reports the same error to the caller of listen().
    this.sockets.on('error', () => undefined);
    this.sockets.on('connection', (socket) => this.onSocket(socket));
    this.endWatch = this.chain.onChange(() => this.subscriptions.refresh());
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.http.once('error', reject);
      this.http.listen(port, '127.0.0.1', () => {
        this.http.off('error', reject);
        resolve();
      });
    });
  }

  head(): number {
    const highest = Math.min(this.chain.headHeight, this.pinnedHead ?? Number.POSITIVE_INFINITY);
    return Math.max(0, highest - this.faults.lagBlocks);
  }

  setHead(height: number | null): void {
    this.pinnedHead = height;
    this.subscriptions.refresh();
  }

  refresh(): void {
    this.subscriptions.refresh();
  }

  cutConnections(): void {
    for (const connection of this.connections) connection.destroy();
  }

  async close(): Promise<void> {
    this.endWatch();
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.sockets.close();
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    this.cutConnections();
    await closed;
  }

  private readonly count = (fault: string): void => {
    this.stats.faults[fault] = (this.stats.faults[fault] ?? 0) + 1;
  };

  private drawn(rate: number, fault: string): boolean {
    if (!this.random.chance(rate)) return false;
    this.count(fault);
    return true;
  }

  private fateOf(calls: readonly WireCall[]): Fate {
    const { faults } = this;
    const { methods } = faults;
    if (methods !== null && !calls.some(({ method }) => methods.includes(method))) return 'serve';
    if (this.drawn(faults.rateLimitRate, 'rateLimit')) return 'rateLimit';
    if (this.drawn(faults.cutRate, 'cut')) return 'cut';
    if (this.drawn(faults.dropRate, 'drop')) return 'drop';
    if (this.drawn(faults.truncateRate, 'truncate')) return 'truncate';
    if (this.drawn(faults.rpcRateLimitRate, 'rpcRateLimit')) return 'rpcRateLimit';
    if (this.drawn(faults.errorRate, 'error')) return 'error';
    return 'serve';
  }

  private delay(): number {
    return this.drawn(this.faults.delayRate, 'delay') ? this.faults.delayMs : 0;
  }

  private later(ms: number, work: () => void): void {
    if (ms <= 0) {
      work();
      return;
    }
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms);
    this.timers.add(timer);
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      this.stats.httpRequests++;
      const body = parseBody(Buffer.concat(chunks).toString('utf8'));
      if (body === null) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(errorText(null, new FaultyNodeError(-32700, 'parse error')));
        return;
      }
      this.later(this.delay(), () => this.respond(response, body));
    });
  }

  private respond(response: ServerResponse, body: Body): void {
    const fate = this.fateOf(body.calls);
    if (fate === 'drop') return;
    if (fate === 'rateLimit') {
      response.writeHead(429, {
        'content-type': 'application/json',
        'retry-after': String(this.faults.retryAfterSeconds),
      });
      response.end(errorText(null, new FaultyNodeError(-32005, 'Too Many Requests')));
      return;
    }
    const { answer, done } = this.buffers.write(this.answerAll(body, fate));
    response.once('close', done);
    this.stats.bytesOut += answer.length;
    if (fate === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.write(answer.subarray(0, answer.length >> 1), () => response.destroy());
      return;
    }
    const sent = fate === 'truncate' ? answer.subarray(0, answer.length >> 1) : answer;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': sent.length });
    response.end(sent);
  }

  private answerAll(body: Body, fate: Fate): string[] {
    const answers = body.calls.map((call) => this.answer(call, fate));
    if (!body.batch) return answers[0]!;
    if (answers.length > 1 && this.drawn(this.faults.duplicateRate, 'duplicate')) answers.push(answers[0]!);
    return [...answers.flatMap((answer, n) => [n === 0 ? '[' : ',', ...answer]), ']'];
  }

  private answer(call: WireCall, fate: Fate): string[] {
    this.stats.methods[call.method] = (this.stats.methods[call.method] ?? 0) + 1;
    if (fate === 'rpcRateLimit') return [errorText(call.id, rateLimited())];
    if (fate === 'error') return [errorText(call.id, new FaultyNodeError(-32000, 'internal error'))];
    const down = this.drawn(this.faults.headDownRate, 'headDown') ? this.faults.headDownBlocks : 0;
    try {
      const result = this.node.answer(call.method, call.params, Math.max(0, this.head() - down));
      return resultPieces(call.id, result);
    } catch (error) {
      if (!(error instanceof FaultyNodeError)) throw error;
      return [errorText(call.id, error)];
    }
  }

  private onSocket(socket: WebSocket): void {
    const subscriber: NodeSubscriber = { send: (text) => socket.send(text), heads: new Set(), logs: new Map() };
    this.subscriptions.add(subscriber);
    socket.on('close', () => this.subscriptions.remove(subscriber));
    socket.on('error', () => socket.terminate());
    socket.on('message', (message) => {
      const body = parseBody(message.toString());
      if (body === null) socket.send(errorText(null, new FaultyNodeError(-32700, 'parse error')));
      else this.later(this.delay(), () => this.reply(socket, subscriber, body));
    });
  }

  private reply(socket: WebSocket, subscriber: NodeSubscriber, body: Body): void {
    const fate = this.fateOf(body.calls);
    if (fate === 'drop') return;
    if (fate === 'cut') {
      socket.terminate();
      return;
    }
    const single = body.batch ? undefined : body.calls[0];
    let text: string;
    if (fate === 'rateLimit') {
      text = errorText(single?.id ?? null, rateLimited());
    } else if (fate === 'serve' && single && /^eth_(un)?subscribe$/.test(single.method)) {
      text = this.subscription(subscriber, single);
    } else {
      text = this.answerAll(body, fate).join('');
    }
    const sent = fate === 'truncate' ? text.slice(0, text.length >> 1) : text;
    this.stats.bytesOut += sent.length;
    socket.send(sent);
    if (this.drawn(this.faults.duplicateRate, 'duplicate')) socket.send(sent);
  }

  private subscription(subscriber: NodeSubscriber, call: WireCall): string {
    this.stats.methods[call.method] = (this.stats.methods[call.method] ?? 0) + 1;
    if (call.method === 'eth_unsubscribe') {
      return resultText(call.id, JSON.stringify(this.subscriptions.unsubscribe(subscriber, call.params[0])));
    }
    const id = this.subscriptions.subscribe(subscriber, call.params);
    if (id === null) return errorText(call.id, new FaultyNodeError(-32602, `no "${call.params[0]}" subscription here`));
    return resultText(call.id, JSON.stringify(id));
  }
}
