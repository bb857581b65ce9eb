import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ListenerConfig, reachableHost } from './config.js';
import type { Health } from './health.js';
import { listenError } from './listen-error.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';

export interface AdminListenerOptions {
  listener: ListenerConfig;
  version: string;
  health: Health;
  metrics: Metrics;
  logger: Logger;
  /** Body of /status: stages, positions, progress. */
  status: () => unknown | Promise<unknown>;
}

export interface AdminListener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const ROUTES = ['/health', '/ready', '/metrics', '/status'];

/** Operations only, on loopback by default: /health, /ready, /metrics (Prometheus text) and /status. It changes nothing. */
export async function startAdminListener(options: AdminListenerOptions): Promise<AdminListener> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.logger.error({ err: error, path: request.url }, 'an admin request failed');
      sendJson(request, response, 500, { error: { code: 'internal', message: 'see the log' } });
    });
  });
  server.listen(options.listener.port, options.listener.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenError(error, options.listener);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${reachableHost(options.listener.host)}:${port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function answer(
  options: AdminListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0]!;
  if (!ROUTES.includes(path)) {
    const message = `no route ${path.slice(0, 80)}; there are ${ROUTES.join(', ')}`;
    return sendJson(request, response, 404, { error: { code: 'not_found', message } });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    response.writeHead(405).end();
    return;
  }
  switch (path) {
    case '/health':
      return sendJson(request, response, 200, {
        ...{ status: 'ok', version: options.version },
        ...options.health.words(),
      });
    case '/ready': {
      const readiness = options.health.readiness();
      return sendJson(request, response, readiness.ready ? 200 : 503, readiness);
    }
    case '/metrics':
      return send(request, response, 200, 'text/plain; version=0.0.4; charset=utf-8', options.metrics.text());
    default:
      return sendJson(request, response, 200, await options.status());
  }
}

const sendJson = (request: IncomingMessage, response: ServerResponse, status: number, body: unknown): void =>
  send(request, response, status, 'application/json', JSON.stringify(body));

function send(request: IncomingMessage, response: ServerResponse, status: number, type: string, body: string): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
