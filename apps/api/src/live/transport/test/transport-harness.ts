import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import type { ClientOptions } from 'ws';
import { startApplication } from '#libs/app/application.js';
import { ACCOUNTS, LOGGER } from '#libs/app/modules/tokens.js';
import { oneKey } from '#libs/devkit/testing/local-accounts.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { Answer } from '#libs/serve/http/answer.js';
import { createListener, type Listener } from '#libs/serve/http/listener.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import type { LiveLimits } from '#libs/serve/live/live-options.js';
import { LIVE_SETTINGS } from '../../../access/api-parts.js';
import { liveSettings } from '../../../access/live-settings.js';
import { LiveTransports } from '../live-transports.js';
import { transportProviders } from '../transport-providers.js';
import { EventClient, SocketClient } from './live-clients.js';
import { NumbersChannel } from './numbers-channel.js';

export const KEY = 'tp_a-key-that-is-valid';

export interface HarnessOptions {
  maxConnections?: number;
  keepAliveMs?: number;
  heartbeatMs?: number;
  limits?: Partial<LiveLimits>;
  /** In place of one key without limits. */
  accounts?: Accounts;
  /** Of the limits of requests in time. */
  clock?: RequestClock;
}

class HarnessModule {}

/** The transports on real listeners over the real hub, with one channel that a spec can push to. */
export class TransportHarness {
  private readonly clients = new Set<SocketClient>();

  private constructor(
    private readonly app: INestApplicationContext,
    readonly transports: LiveTransports,
    readonly hub: LiveHub,
    readonly api: Listener,
    readonly sockets: Listener,
    readonly numbers: NumbersChannel,
    /** What was logged as an error: a spec expects none. */
    readonly errors: readonly object[],
    /** Takes the key back. */
    readonly revoke: () => void,
  ) {}

  static async start(options: HarnessOptions = {}): Promise<TransportHarness> {
    const own = oneKey(KEY);
    const { accounts = own.accounts } = options;
    const { revoke } = own;
    const errors: object[] = [];
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (fields: object, message: string) => void errors.push({ ...fields, message }),
    };
    const numbers = new NumbersChannel();
    const hub = new LiveHub({ channels: [numbers], logger, limits: options.limits });
    const { maxConnections = 100, keepAliveMs, heartbeatMs } = options;
    const app = await startApplication({
      module: HarnessModule,
      providers: [
        { provide: LiveHub, useValue: hub },
        { provide: ACCOUNTS, useValue: accounts },
        { provide: LOGGER, useValue: logger },
        { provide: LIVE_SETTINGS, useValue: liveSettings({ maxConnections, keepAliveMs, heartbeatMs }) },
        ...transportProviders,
      ],
    });
    const transports = app.get(LiveTransports);
    const { streams } = transports;
    const routes = ['/stream/:channel', '/v1/stream/:channel'].map((path): HttpRoute => {
      const handle: HttpRoute['handle'] = (request) =>
        streams.open((request.params as { channel: string }).channel, request);
      return { method: 'GET', path, open: false, cost: 'stream', handle };
    });
    const { upgrades } = transports;
    const health = { method: 'GET' as const, path: '/health', open: true, handle: () => Answer.json({ status: 'ok' }) };
    const body: HttpRoute = {
      ...{ method: 'POST', path: '/body', open: true },
      handle: ({ body: bytes }) => Answer.json({ bytes: (bytes as Buffer).length }),
    };
    const shared = {
      ...{ accounts, logger, host: '127.0.0.1', port: 0, clock: options.clock },
      errorBody: ({ code, message }: HttpProblem) => ({ error: { code, message } }),
    };
    const api = await createListener({ ...shared, routes: [health, body, ...routes], upgrades });
    const sockets = await createListener({ ...shared, routes: [health], upgrades: transports.alone() });
    return new TransportHarness(app, transports, hub, api, sockets, numbers, errors, revoke);
  }

  /** An open socket. */
  async connect(path = '/ws', options: ClientOptions = {}, listener = this.api): Promise<SocketClient> {
    const client = await SocketClient.open(listener.url + path, { headers: { 'x-api-key': KEY }, ...options });
    this.clients.add(client);
    void client.closed.then(() => this.clients.delete(client));
    return client;
  }

  /** How an upgrade that is not granted is answered. */
  refusal(path: string, headers: Record<string, string> = {}, listener = this.api): Promise<PlainReply> {
    return plainRequest(listener, path, { ...HANDSHAKE, ...headers });
  }

  get(path: string, headers: Record<string, string> = { 'x-api-key': KEY }, method = 'GET'): Promise<PlainReply> {
    return plainRequest(this.api, path, headers, method);
  }

  stream(path: string, headers: Record<string, string> = { 'x-api-key': KEY }): Promise<EventClient> {
    return EventClient.open(this.api.url + path, headers);
  }

  async close(): Promise<void> {
    for (const { socket } of this.clients) socket.terminate();
    await this.transports.close();
    await Promise.all([this.api.close(), this.sockets.close()]);
    await this.app.close();
  }
}

export const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

export interface PlainReply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked at field by field
  body: any;
}

/** A request over a connection of its own; 101 is an answer like any other. */
export function plainRequest(
  listener: { url: string },
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<PlainReply> {
  return new Promise((done, failed) => {
    const sent = request(listener.url + path, { method, headers, agent: false });
    sent.once('error', failed);
    sent.once('upgrade', (response, socket) => {
      socket.destroy();
      done({ status: response.statusCode!, headers: response.headers, text: '', body: null });
    });
    sent.once('response', (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const body = text === '' ? null : (JSON.parse(text) as unknown);
        done({ status: response.statusCode!, headers: response.headers, text, body });
      });
    });
    sent.end();
  });
}
