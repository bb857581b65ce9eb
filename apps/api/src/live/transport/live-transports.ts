import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { UpgradeRoute } from '#libs/serve/http/upgrades.js';
import type { LiveHub, LiveStats } from '#libs/serve/live/live-hub.js';
import { Capacity } from './capacity.js';
import { EventStreamTransport } from './event-stream-transport.js';
import { SocketIoTransport } from './socket-io/socket-io-transport.js';
import { noCounts, type TransportCounters } from './transport-counters.js';
import type { TransportDeps } from './transport-deps.js';
import { WebSocketTransport } from './web-socket-transport.js';

export interface LiveTransportOptions {
  hub: LiveHub;
  accounts: Accounts | null;
  logger: HttpLogger;
  /** Most live connections of each listener. */
  maxConnections: number;
  keepAliveMs?: number;
  heartbeatMs?: number;
}

/** What a dashboard shows of the live interface. */
export interface LiveStatus extends LiveStats, TransportCounters {
  sockets: number;
  /** Connections of clients of socket.io. */
  socketIo: number;
  streams: number;
}

/**
 * All ways into one hub: sockets, socket.io and event streams on the api listener, no streams on a listener of sockets. Each
 * listener has a capacity of its own, shared by its transports.
 */
export class LiveTransports {
  /** Of the api listener: sockets and event streams, with and without the prefix. */
  readonly sockets: WebSocketTransport;
  readonly socketIo: SocketIoTransport;
  readonly streams: EventStreamTransport;
  private readonly deps: TransportDeps;
  private readonly allSockets: WebSocketTransport[] = [];
  private readonly allSocketIo: SocketIoTransport[] = [];

  constructor(private readonly options: LiveTransportOptions) {
    const { hub, accounts, logger, keepAliveMs = 30_000, heartbeatMs = 15_000 } = options;
    this.deps = { hub, accounts, logger, keepAliveMs, heartbeatMs, counters: noCounts() };
    const capacity = new Capacity(options.maxConnections);
    this.sockets = this.socketsAt(['/ws', '/v1/ws'], capacity);
    this.socketIo = this.socketIoIn(capacity);
    this.streams = new EventStreamTransport(capacity, this.deps);
  }

  /** What becomes a connection on the api listener. */
  get upgrades(): readonly UpgradeRoute[] {
    return [this.sockets, this.socketIo];
  }

  /** The same of a listener that has nothing else. */
  alone(): readonly UpgradeRoute[] {
    const capacity = new Capacity(this.options.maxConnections);
    return [this.socketsAt(['/', '/ws', '/v1/ws'], capacity), this.socketIoIn(capacity)];
  }

  status(): LiveStatus {
    return {
      ...this.options.hub.stats(),
      ...this.deps.counters,
      sockets: sum(this.allSockets),
      socketIo: sum(this.allSocketIo),
      streams: this.streams.connections,
    };
  }

  /** Ends every connection in order, with the code to connect again. */
  async close(): Promise<void> {
    this.options.hub.close();
    await Promise.all([...this.allSockets, ...this.allSocketIo, this.streams].map((transport) => transport.close()));
  }

  private socketsAt(paths: readonly string[], capacity: Capacity): WebSocketTransport {
    const transport = new WebSocketTransport(paths, capacity, this.deps);
    this.allSockets.push(transport);
    return transport;
  }

  private socketIoIn(capacity: Capacity): SocketIoTransport {
    const transport = new SocketIoTransport(capacity, this.deps);
    this.allSocketIo.push(transport);
    return transport;
  }
}

const sum = (doors: readonly { connections: number }[]): number =>
  doors.reduce((all, { connections }) => all + connections, 0);
