import type { Accounts } from '#libs/accounts/account.js';
import type { HttpLogger } from '#libs/http/listener.js';
import type { HttpRoute } from '#libs/http/routes.js';
import type { UpgradeRoute } from '#libs/http/upgrades.js';
import type { LiveHub, LiveStats } from '#libs/live/live-hub.js';
import { Capacity } from './capacity.js';
import { type DoorCounters, noCounts } from './door-counters.js';
import type { DoorDeps } from './door-deps.js';
import { SocketDoor } from './socket-door.js';
import { StreamDoor } from './stream-door.js';

export interface LiveDoorsOptions {
  hub: LiveHub;
  accounts: Accounts | null;
  logger: HttpLogger;
  /** Most live connections of each listener. */
  maxConnections: number;
  keepAliveMs?: number;
  heartbeatMs?: number;
}

/** What a dashboard shows of the live interface. */
export interface LiveStatus extends LiveStats, DoorCounters {
  sockets: number;
  streams: number;
}

/**
 * All ways into one hub: sockets and event streams on the api listener, sockets alone on a listener of their own. Each
 * listener has a capacity of its own, shared by its doors.
 */
export class LiveDoors {
  private readonly deps: DoorDeps;
  private readonly sockets: SocketDoor[] = [];
  private readonly streams: StreamDoor[] = [];

  constructor(private readonly options: LiveDoorsOptions) {
    const { hub, accounts, logger, keepAliveMs = 30_000, heartbeatMs = 15_000 } = options;
    this.deps = { hub, accounts, logger, keepAliveMs, heartbeatMs, counters: noCounts() };
  }

  /** Beside the REST routes: sockets and event streams, each with and without the prefix. */
  apiDoors(): { upgrades: UpgradeRoute[]; routes: HttpRoute[] } {
    const capacity = new Capacity(this.options.maxConnections);
    const streams = new StreamDoor(capacity, this.deps);
    this.streams.push(streams);
    return {
      upgrades: [this.socketDoor(['/ws', '/v1/ws'], capacity)],
      routes: [streams.route('/stream/:channel'), streams.route('/v1/stream/:channel')],
    };
  }

  /** A listener that has nothing else. */
  socketDoors(): UpgradeRoute[] {
    return [this.socketDoor(['/', '/ws', '/v1/ws'], new Capacity(this.options.maxConnections))];
  }

  status(): LiveStatus {
    const sum = (doors: readonly { connections: number }[]) => doors.reduce((all, door) => all + door.connections, 0);
    return {
      ...this.options.hub.stats(),
      ...this.deps.counters,
      sockets: sum(this.sockets),
      streams: sum(this.streams),
    };
  }

  /** Ends every connection in order: clients are told to come again. */
  async close(): Promise<void> {
    this.options.hub.close();
    await Promise.all([...this.sockets, ...this.streams].map((door) => door.close()));
  }

  private socketDoor(paths: readonly string[], capacity: Capacity): SocketDoor {
    const door = new SocketDoor(paths, capacity, this.deps);
    this.sockets.push(door);
    return door;
  }
}
