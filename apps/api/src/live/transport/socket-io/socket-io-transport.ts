import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server, type Socket } from 'socket.io';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import type { Caller, StreamEnd } from '#libs/serve/accounts/account.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import { SOCKET_ROUTE, type UpgradeRoute } from '#libs/serve/http/upgrades.js';
import { type Capacity, serverBusy } from '../capacity.js';
import { ReadingPace } from '../reading-pace.js';
import { GOODBYE_MS, MAX_MESSAGE_BYTES } from '../socket-limits.js';
import type { TransportDeps } from '../transport-deps.js';
import { GatewayAdapter } from './gateway-adapter.js';
import { type Arrival, LiveGateway } from './live.gateway.js';
import { NAMESPACE } from './packet-frames.js';

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
 * The live interface for clients of socket.io, one server a listener. The listener checks key, rate, credits and capacity
 * before engine.io sees the connection. It takes the transport `websocket` alone: long polling would need every request of a client
 * to reach the same instance.
 */
export class SocketIoTransport implements UpgradeRoute {
  readonly paths = ['/socket.io/', '/v1/socket.io/'];
  private readonly server: Server;
  private readonly ends = new WeakMap<IncomingMessage, (why: StreamEnd) => void>();
  private readonly open = new Set<WebSocket>();
  private closing = false;

  constructor(
    private readonly capacity: Capacity,
    private readonly deps: TransportDeps,
  ) {
    // The listener hands connections over: the server that socket.io is attached to never listens.
    this.server = new Server(createServer(), {
      transports: ['websocket'],
      allowUpgrades: false,
      serveClient: false,
      perMessageDeflate: false,
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      pingInterval: deps.keepAliveMs,
      pingTimeout: deps.keepAliveMs,
      connectTimeout: JOIN_MS,
      wsEngine: PacedServer,
    });
    this.server.use((_client, next) => next(new Error(`the live interface is the namespace ${NAMESPACE}`)));
    const gateway = new LiveGateway((client) => this.arrivalOf(client), deps);
    new GatewayAdapter(this.server.of(NAMESPACE)).bind(gateway);
    this.server.engine.on('connection', (conn: { request: IncomingMessage }) => this.opened(conn));
  }

  get connections(): number {
    return this.open.size;
  }

  get ready(): boolean {
    return !this.closing && this.capacity.free;
  }

  /** What engine.io would refuse in words of its own. */
  problemOf({ url }: IncomingMessage): HttpProblem | null {
    const query = new URLSearchParams(url!.split('?')[1]);
    if (query.get('EIO') !== '4') return badRequest('EIO must be 4: use a client of socket.io 3 or 4');
    if (query.get('transport') === 'websocket' && !query.has('sid')) return null;
    return badRequest("transport must be websocket: give the client the option transports: ['websocket']");
  }

  refusal(): HttpProblem {
    if (this.closing) return serverBusy('this instance stops: connect again');
    this.deps.counters.busy++;
    return this.capacity.refusal();
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer, caller: Caller | null): void {
    stream.once('close', this.capacity.take());
    stream.on('error', () => stream.destroy());
    if (caller !== null) this.pay(request, stream, caller);
    this.server.engine.handleUpgrade(request, stream, head);
  }

  /** The hub has ended its connections; those that joined no namespace yet end here. */
  async close(): Promise<void> {
    this.closing = true;
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
    const { accounts, counters } = this.deps;
    this.ends.set(request, () => stream.destroy());
    const paid = accounts?.openStream(caller, SOCKET_ROUTE, (why) => {
      if (why === 'key') counters.revoked++;
      else counters.unpaid++;
      this.ends.get(request)!(why);
    });
    stream.once('close', () => paid?.close());
  }

  private arrivalOf({ request }: Socket): Arrival {
    const { websocket: socket } = request as Upgraded;
    return { socket, onEnd: (end) => void this.ends.set(request, end) };
  }

  private opened(conn: { request: IncomingMessage } & Partial<NodeJS.EventEmitter>): void {
    const { counters } = this.deps;
    const socket = (conn.request as Upgraded).websocket;
    this.open.add(socket);
    const pace = new ReadingPace(socket);
    socket.on('message', (data: Buffer) => {
      counters.framesIn++;
      counters.bytesIn += data.length;
      pace.count();
    });
    socket.once('close', () => this.open.delete(socket));
  }
}

const badRequest = (message: string): HttpProblem => new HttpProblem(400, 'bad_request', message);
