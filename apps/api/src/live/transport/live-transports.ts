import type { Accounts } from '#libs/accounts/account.js';
import type { HttpLogger } from '#libs/http/listener.js';
import type { LiveHub, LiveStats } from '#libs/live/live-hub.js';
import { Capacity } from './capacity.js';
import { EventStreamTransport } from './event-stream-transport.js';
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
  streams: number;
}

/**
 * All ways into one hub: sockets and event streams on the api listener, sockets alone on a listener of their own. Each
 * listener has a capacity of its own, shared by its transports.
 */
export class LiveTransports {
  /** Of the api listener: sockets and event streams, with and without the prefix. */
  readonly sockets: WebSocketTransport;
  readonly streams: EventStreamTransport;
  private readonly deps: TransportDeps;
  private readonly allSockets: WebSocketTransport[] = [];

  constructor(private readonly options: LiveTransportOptions) {
    const { hub, accounts, logger, keepAliveMs = 30_000, heartbeatMs = 15_000 } = options;
    this.deps = { hub, accounts, logger, keepAliveMs, heartbeatMs, counters: noCounts() };
    const capacity = new Capacity(options.maxConnections);
    this.sockets = this.socketsAt(['/ws', '/v1/ws'], capacity);
    this.streams = new EventStreamTransport(capacity, this.deps);
  }

  /** Sockets of a listener that has nothing else. */
  alone(): WebSocketTransport {
    return this.socketsAt(['/', '/ws', '/v1/ws'], new Capacity(this.options.maxConnections));
  }

  status(): LiveStatus {
    return {
      ...this.options.hub.stats(),
      ...this.deps.counters,
      sockets: this.allSockets.reduce((all, { connections }) => all + connections, 0),
      streams: this.streams.connections,
    };
  }

  /** Ends every connection in order, with the code to connect again. */
  async close(): Promise<void> {
    this.options.hub.close();
    await Promise.all([...this.allSockets, this.streams].map((transport) => transport.close()));
  }

  private socketsAt(paths: readonly string[], capacity: Capacity): WebSocketTransport {
    const transport = new WebSocketTransport(paths, capacity, this.deps);
    this.allSockets.push(transport);
    return transport;
  }
}
