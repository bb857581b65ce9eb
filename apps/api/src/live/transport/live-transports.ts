import { Inject, Injectable } from '@nestjs/common';
import { ACCOUNTS, LOGGER } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/http-logger.js';
import type { UpgradeRoute } from '#libs/serve/http/upgrades.js';
import { LiveHub, type LiveStats } from '#libs/serve/live/live-hub.js';
import { LIVE_SETTINGS } from '../../access/api-parts.js';
import type { LiveSettings } from '../../access/live-settings.js';
import { Capacity } from './capacity.js';
import { EventStreamTransport } from './event-stream-transport.js';
import { SocketIoServer } from './socket-io/socket-io-server.js';
import { SocketIoTransport } from './socket-io/socket-io-transport.js';
import { TransportCounters } from './transport-counters.js';
import type { TransportDeps } from './transport-deps.js';
import { WebSocketTransport } from './web-socket-transport.js';

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
@Injectable()
export class LiveTransports {
  /** Of the api listener: sockets and event streams, with and without the prefix. */
  readonly sockets: WebSocketTransport;
  readonly streams: EventStreamTransport;
  private readonly socketIo: SocketIoTransport;
  private readonly deps: TransportDeps;
  private readonly allSockets: WebSocketTransport[] = [];

  constructor(
    private readonly hub: LiveHub,
    private readonly socketIoServer: SocketIoServer,
    private readonly counters: TransportCounters,
    @Inject(ACCOUNTS) accounts: Accounts | null,
    @Inject(LOGGER) logger: HttpLogger,
    @Inject(LIVE_SETTINGS) private readonly settings: LiveSettings,
  ) {
    const { keepAliveMs, heartbeatMs } = settings;
    this.deps = { hub, accounts, logger, keepAliveMs, heartbeatMs, counters };
    const capacity = new Capacity(settings.maxConnections);
    this.sockets = this.socketsAt(['/ws', '/v1/ws'], capacity);
    this.socketIo = new SocketIoTransport(socketIoServer, capacity, counters);
    this.streams = new EventStreamTransport(capacity, this.deps);
  }

  /** What becomes a connection on the api listener. */
  get upgrades(): readonly UpgradeRoute[] {
    return [this.sockets, this.socketIo];
  }

  /** The same of a listener that has nothing else. */
  alone(): readonly UpgradeRoute[] {
    const capacity = new Capacity(this.settings.maxConnections);
    const socketIo = new SocketIoTransport(this.socketIoServer, capacity, this.counters);
    return [this.socketsAt(['/', '/ws', '/v1/ws'], capacity), socketIo];
  }

  status(): LiveStatus {
    return {
      ...this.hub.stats(),
      ...this.counters,
      sockets: this.allSockets.reduce((all, { connections }) => all + connections, 0),
      socketIo: this.socketIoServer.connections,
      streams: this.streams.connections,
    };
  }

  /** Ends every connection in order, with the code to connect again. */
  async close(): Promise<void> {
    this.hub.close();
    await Promise.all([...this.allSockets, this.socketIoServer, this.streams].map((transport) => transport.close()));
  }

  private socketsAt(paths: readonly string[], capacity: Capacity): WebSocketTransport {
    const transport = new WebSocketTransport(paths, capacity, this.deps);
    this.allSockets.push(transport);
    return transport;
  }
}
