import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { TidepoolError } from '#libs/core/errors.js';
import { jsonText } from '#libs/core/exact-json.js';
import type { Methods } from './rpc-context.js';
import { methodNotFound, SolanaRpcError } from './rpc-errors.js';
import type { RpcSubscriber, SolanaSubscriptions } from './rpc-subscriptions.js';

/**
 * The wire: JSON-RPC over HTTP on one port, subscriptions over WebSocket on the next, where clients expect them, and on
 * the first as well. Everything binds 127.0.0.1. Whatever a client sends is answered by a JSON-RPC error at worst.
 */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** A subscriber that has fallen behind this far is cut off. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MAX_BATCH = 1000;
const TRIES = 50;

interface Call {
  id: unknown;
  method: string;
  params: readonly unknown[];
}

export class SolanaRpcServer {
  private readonly http: Server;
  private readonly wsHttp: Server;
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES });

  private constructor(
    private readonly methods: Methods,
    private readonly subscriptions: SolanaSubscriptions,
  ) {
    this.http = createServer((request, response) => this.serve(request, response));
    this.wsHttp = createServer((_, response) => response.writeHead(426).end('a WebSocket is expected here'));
    for (const server of [this.http, this.wsHttp]) {
      server.on('upgrade', (request, socket, head) => {
        this.sockets.handleUpgrade(request, socket, head, (opened) => this.open(opened));
      });
    }
  }

  /** Listens on `port` and the next one; 0: any free pair. */
  static async listen(methods: Methods, subscriptions: SolanaSubscriptions, port: number): Promise<SolanaRpcServer> {
    for (let tries = 1; ; tries++) {
      const server = new SolanaRpcServer(methods, subscriptions);
      try {
        await bind(server.http, port);
        await bind(server.wsHttp, server.port + 1);
        return server;
      } catch (error) {
        await server.close();
        if (port !== 0 || tries === TRIES) throw error;
      }
    }
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    await Promise.all(
      [this.http, this.wsHttp].map((server) => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      }),
    );
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    // As validators for development do: pages may ask.
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*');
      response.setHeader('vary', 'access-control-request-headers');
      response.writeHead(204, { 'access-control-allow-methods': 'POST, GET', 'access-control-max-age': '86400' }).end();
      return;
    }
    if (request.method === 'GET' && request.url === '/health') {
      response.end('ok');
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const pieces: Buffer[] = [];
    let size = 0;
    request.on('error', () => response.destroy());
    request.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_BODY_BYTES) pieces.push(piece);
    });
    request.on('end', () => {
      if (size > MAX_BODY_BYTES) {
        response.writeHead(413).end();
        return;
      }
      const text = this.answer(Buffer.concat(pieces).toString('utf8'), (call) => this.invoke(call));
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(text);
    });
  }

  private open(socket: WebSocket): void {
    const subscriber: RpcSubscriber = {
      send: (text) => {
        if (socket.bufferedAmount > MAX_WAITING_BYTES) socket.terminate();
        else socket.send(text);
      },
    };
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.subscriptions.remove(subscriber));
    socket.on('message', (data) => {
      const later: (() => void)[] = [];
      const text = this.answer(String(data), ({ method, params }) => {
        const { result, later: next } = this.subscriptions.call(subscriber, method, params);
        if (next) later.push(next);
        return result;
      });
      socket.send(text);
      for (const next of later) next();
    });
  }

  private invoke({ method, params }: Call): unknown {
    if (!Object.hasOwn(this.methods, method)) throw methodNotFound();
    return this.methods[method]?.(params);
  }

  /** The text that answers a text. */
  private answer(text: string, invoke: (call: Call) => unknown): string {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return errorText(null, new SolanaRpcError(-32700, 'Parse error'));
    }
    if (!Array.isArray(body)) return this.one(body, invoke);
    if (body.length === 0 || body.length > MAX_BATCH) {
      return errorText(null, new SolanaRpcError(-32600, `a batch holds 1 to ${MAX_BATCH} calls`));
    }
    return `[${body.map((item) => this.one(item, invoke)).join(',')}]`;
  }

  private one(item: unknown, invoke: (call: Call) => unknown): string {
    const { id = null, method, params = [] } = (typeof item === 'object' && item !== null ? item : {}) as Partial<Call>;
    if (typeof method !== 'string') return errorText(id, new SolanaRpcError(-32600, 'Invalid request'));
    try {
      if (!Array.isArray(params)) throw new SolanaRpcError(-32602, 'Invalid params: expected a sequence.');
      return jsonText({ jsonrpc: '2.0', result: invoke({ id, method, params }), id });
    } catch (error) {
      if (error instanceof SolanaRpcError) return errorText(id, error);
      return errorText(id, new SolanaRpcError(-32603, 'Internal error'));
    }
  }
}

function errorText(id: unknown, { code, message, data }: SolanaRpcError): string {
  return jsonText({ jsonrpc: '2.0', error: { code, message, data }, id });
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      reject(new TidepoolError('port_in_use', `port ${port} of the local Solana chain is in use by another program`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}
