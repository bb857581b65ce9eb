import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type Namespace, Server, type Socket } from 'socket.io';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import type { Accounts, Caller, StreamEnd } from '#libs/serve/accounts/account.js';
import { SOCKET_ROUTE } from '#libs/serve/http/upgrades.js';
import { LIVE_SETTINGS } from '../../../access/api-parts.js';
import type { LiveSettings } from '../../../access/live-settings.js';
import { ReadingPace } from '../reading-pace.js';
import { GOODBYE_MS, MAX_MESSAGE_BYTES } from '../socket-limits.js';
import { TransportCounters } from '../transport-counters.js';
import { NAMESPACE } from './packet-frames.js';

/** The connection of a client that has joined the namespace. */
export interface Arrival {
  readonly socket: WebSocket;
  /** How it ends with its key or its credits; it is paid for since the upgrade. */
  onEnd(end: (why: StreamEnd) => void): void;
}

/** Time for a client to join the namespace. */
const JOIN_MS = 10_000;

/** What engine.io keeps on the request that it upgraded. */
type Upgraded = IncomingMessage & { websocket: WebSocket };

/** The server of the package ws with our rules in place of engine.io's. */
class PacedServer extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, closeTimeout: GOODBYE_MS, autoPong: false } as ServerOptions);
  }
}

/**
 * The server of socket.io, one for all listeners. It never listens itself: a listener hands over each connection whose key, rate,
 * credits and capacity it has checked. It takes the transport `websocket` alone: long polling would need every request of a
 * client to reach the same instance.
 */
@Injectable()
export class SocketIoServer {
  /** Where clients join the live interface. */
  readonly namespace: Namespace;
  private readonly server: Server;
  private readonly ends = new WeakMap<IncomingMessage, (why: StreamEnd) => void>();
  private readonly open = new Set<WebSocket>();
  private ending = false;

  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts | null,
    @Inject(LIVE_SETTINGS) { keepAliveMs }: LiveSettings,
    private readonly counters: TransportCounters,
  ) {
    this.server = new Server(createServer(), {
      transports: ['websocket'],
      allowUpgrades: false,
      serveClient: false,
      perMessageDeflate: false,
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      pingInterval: keepAliveMs,
      pingTimeout: keepAliveMs,
      connectTimeout: JOIN_MS,
      wsEngine: PacedServer,
    });
    this.server.use((_client, next) => next(new Error(`the live interface is the namespace ${NAMESPACE}`)));
    this.namespace = this.server.of(NAMESPACE);
    this.server.engine.on('connection', ({ request }: { request: IncomingMessage }) => this.opened(request));
  }

  get connections(): number {
    return this.open.size;
  }

  get closing(): boolean {
    return this.ending;
  }

  /** Takes over a connection that a listener has checked; null: it is not paid for. */
  accept(request: IncomingMessage, stream: Duplex, head: Buffer, caller: Caller | null): void {
    if (caller !== null) this.pay(request, stream, caller);
    this.server.engine.handleUpgrade(request, stream, head);
  }

  arrivalOf({ request }: Socket): Arrival {
    const { websocket: socket } = request as Upgraded;
    return { socket, onEnd: (end) => void this.ends.set(request, end) };
  }

  /** The hub has ended its connections; those that joined no namespace yet end here. */
  async close(): Promise<void> {
    this.ending = true;
    const gone = [...this.open].map((socket) => new Promise<void>((done) => void socket.once('close', () => done())));
    this.server.engine.close();
    const cut = setTimeout(() => {
      for (const socket of this.open) socket.terminate();
    }, 1_000);
    await Promise.all(gone);
    clearTimeout(cut);
    await this.server.close().catch(() => undefined);
  }

  /** From the upgrade on, whether the client joins the namespace or not. */
  private pay(request: IncomingMessage, stream: Duplex, caller: Caller): void {
    this.ends.set(request, () => stream.destroy());
    const paid = this.accounts?.openStream(caller, SOCKET_ROUTE, (why) => {
      if (why === 'key') this.counters.revoked++;
      else this.counters.unpaid++;
      this.ends.get(request)!(why);
    });
    stream.once('close', () => paid?.close());
  }

  private opened(request: IncomingMessage): void {
    const socket = (request as Upgraded).websocket;
    this.open.add(socket);
    const pace = new ReadingPace(socket);
    socket.on('message', (data: Buffer) => {
      this.counters.framesIn++;
      this.counters.bytesIn += data.length;
      pace.count();
    });
    socket.once('close', () => this.open.delete(socket));
  }
}
