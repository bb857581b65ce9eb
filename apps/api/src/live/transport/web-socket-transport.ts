import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Caller, StreamEnd } from '#libs/serve/accounts/account.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import { SOCKET_ROUTE, type UpgradeRoute } from '#libs/serve/http/upgrades.js';
import type { LiveConnection } from '#libs/serve/live/live-connection.js';
import { type Capacity, serverBusy } from './capacity.js';
import { closeCodes, endCodes, endWords } from './close-codes.js';
import { ReadingPace } from './reading-pace.js';
import { ReadingProgress } from './reading-progress.js';
import { GOODBYE_MS, MAX_MESSAGE_BYTES } from './socket-limits.js';
import { SocketOutlet } from './socket-outlet.js';
import type { TransportDeps } from './transport-deps.js';
import { WebSocketFrames } from './web-socket-frames.js';
import { WriteRound } from './write-round.js';

const NOT_BINARY = 'frames must be JSON: send them as text, not as binary';

interface OpenSocket {
  readonly socket: WebSocket;
  /** Something was heard since the last look. */
  alive: boolean;
  /** A ping may wait behind what the client still reads. */
  readonly progress: ReadingProgress;
}

/**
 * WebSockets of one listener as connections of the hub. The package ws does the protocol on the listener's own server:
 * Nest's adapter for it would upgrade before a key is looked at and could not answer a refusal with a JSON body.
 */
export class WebSocketTransport implements UpgradeRoute {
  private readonly server: WebSocketServer;
  private readonly open = new Set<OpenSocket>();
  private readonly frames = new WebSocketFrames();
  private readonly written = new WriteRound();
  private readonly rounds: NodeJS.Timeout;
  private closing = false;

  constructor(
    readonly paths: readonly string[],
    private readonly capacity: Capacity,
    private readonly deps: TransportDeps,
  ) {
    this.server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_MESSAGE_BYTES,
      closeTimeout: GOODBYE_MS,
      autoPong: false,
      // ws only unpacks what comes in; frames are compressed once for all sockets, around it.
      perMessageDeflate: {
        serverNoContextTakeover: true,
        clientNoContextTakeover: true,
        concurrencyLimit: 4,
      },
    } as ConstructorParameters<typeof WebSocketServer>[0]);
    this.rounds = setInterval(() => this.round(), deps.keepAliveMs);
    this.rounds.unref();
  }

  get connections(): number {
    return this.open.size;
  }

  get ready(): boolean {
    return !this.closing && this.capacity.free;
  }

  refusal(): HttpProblem {
    if (this.closing) return serverBusy('this instance stops: connect again');
    this.deps.counters.busy++;
    return this.capacity.refusal();
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer, caller: Caller | null): void {
    const release = this.capacity.take();
    // The stream may break before the handshake is written: its place is free then.
    stream.once('close', release);
    const compresses = supportsSharedDeflate(request);
    this.server.handleUpgrade(request, stream, head, (socket) =>
      this.opened(socket, stream as Socket, caller, compresses),
    );
  }

  /** Ends every connection; what does not say goodbye in time is cut. */
  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.rounds);
    const gone = [...this.open].map(
      ({ socket }) =>
        new Promise<void>((done) => {
          socket.once('close', () => done());
          socket.close(closeCodes.restart, 'the service restarts');
        }),
    );
    const cut = setTimeout(() => {
      for (const { socket } of this.open) socket.terminate();
    }, 1_000);
    await Promise.all(gone);
    clearTimeout(cut);
    this.server.close();
  }

  private opened(socket: WebSocket, stream: Socket, caller: Caller | null, takesCompressed: boolean): void {
    const { hub, counters, logger, accounts } = this.deps;
    const compresses = takesCompressed && socket.extensions.includes('permessage-deflate');
    const outlet = new SocketOutlet(socket, stream, compresses, this.frames, this.written, counters);
    const connection = hub.connect(outlet);
    const entry: OpenSocket = { socket, alive: true, progress: new ReadingProgress(stream) };
    this.open.add(entry);
    outlet.onDrained = () => connection.drained();
    stream.on('drain', outlet.look);
    const paid = caller && accounts?.openStream(caller, SOCKET_ROUTE, (why) => this.end(outlet, why));
    const pace = new ReadingPace(socket);
    socket.on('message', (data, binary) => {
      entry.alive = true;
      try {
        this.take(connection, data, binary);
      } catch (error) {
        logger.error({ err: error }, 'a live connection failed');
        socket.close(closeCodes.internal, 'internal error');
      }
      pace.count();
    });
    socket.on('ping', () => {
      entry.alive = true;
    });
    socket.on('pong', () => {
      entry.alive = true;
      pace.count();
    });
    // A breach of the protocol: ws closes the connection with the code that names it.
    socket.on('error', (error) => logger.info({ reason: error.message }, 'a live connection broke'));
    socket.on('close', () => {
      this.open.delete(entry);
      paid?.close();
      connection.close();
    });
  }

  private take(connection: LiveConnection, data: RawData, binary: boolean): void {
    const bytes = data as Buffer;
    this.deps.counters.framesIn++;
    this.deps.counters.bytesIn += bytes.length;
    if (binary) connection.refuse(NOT_BINARY);
    else connection.receive(bytes.toString('utf8'));
  }

  private end(outlet: SocketOutlet, why: StreamEnd): void {
    const { counters } = this.deps;
    if (why === 'key') counters.revoked++;
    else counters.unpaid++;
    outlet.end(endCodes[why], endWords[why]);
  }

  /** Ends the connections that were silent for a whole round. */
  private round(): void {
    const { counters } = this.deps;
    for (const entry of this.open) {
      const { socket } = entry;
      // One that is closing has its own time for it.
      if (socket.readyState !== socket.OPEN) continue;
      const reads = entry.progress.look();
      if (!entry.alive && !reads && !socket.isPaused) {
        counters.dead++;
        socket.terminate();
      } else {
        entry.alive = false;
        socket.ping();
      }
    }
  }
}

/** Frames are compressed once for all with the usual window: a client that asks for a smaller one gets them as they are. */
function supportsSharedDeflate({ headers }: IncomingMessage): boolean {
  return !/server_max_window_bits/i.test(headers['sec-websocket-extensions'] ?? '');
}
