// Room: the engine that sends a snapshot, then deltas; it knows no transport. May import core, protocol,
// serve/contract.

import { type ChannelDefinition, ChannelRegistry, type KeyDefinition } from './channel.js';
import { LiveConnection } from './live-connection.js';
import { LiveKey, type LiveKeyDeps } from './live-key.js';
import { defaultLimits, type LiveClock, type LiveLimits, type LiveLogger, systemLiveClock } from './live-options.js';
import { badLiveRequest, LiveProblem } from './live-problem.js';
import { LiveStream } from './live-stream.js';
import { endCodes, type Outlet } from './outlet.js';
import type { StreamRequest } from './stream-request.js';
import type { LiveCounters, Subscriber, SubscriberDeps } from './subscriber.js';

export interface LiveHubOptions {
  readonly channels: readonly ChannelDefinition[];
  readonly logger: LiveLogger;
  readonly limits?: Partial<LiveLimits>;
  readonly clock?: LiveClock;
}

export interface LiveStats {
  connections: number;
  subscriptions: number;
  keys: number;
  framesSent: number;
  lagged: number;
  slowClosed: number;
}

/**
 * All clients and all keys of one instance. Subscriptions with equal parameters share one key, which exists for as long
 * as it has a subscriber.
 */
export class LiveHub {
  private readonly registry: ChannelRegistry;
  private readonly limits: LiveLimits;
  private readonly clock: LiveClock;
  private readonly logger: LiveLogger;
  private readonly keys = new Map<string, LiveKey>();
  private readonly subscribers = new Set<Subscriber>();
  private readonly counters: LiveCounters = { framesSent: 0, lagged: 0, slowClosed: 0 };
  /** The same for all of them: a socket that waits costs as little as can be. */
  private readonly deps: SubscriberDeps;
  private closed = false;

  constructor(options: LiveHubOptions) {
    this.registry = new ChannelRegistry(options.channels);
    this.limits = { ...defaultLimits, ...options.limits };
    this.clock = options.clock ?? systemLiveClock;
    this.logger = options.logger;
    const { limits, clock, counters } = this;
    this.deps = { limits, clock, counters, onEnd: (subscriber) => this.subscribers.delete(subscriber) };
  }

  get channelNames(): readonly string[] {
    return this.registry.names;
  }

  /** A client that subscribes and unsubscribes by messages. */
  connect(outlet: Outlet): LiveConnection {
    return this.welcome(new LiveConnection(outlet, this.deps, this.find));
  }

  /** A client with one subscription. Throws LiveProblem before anything is sent when the request is wrong. */
  open(outlet: Outlet, request: StreamRequest): LiveStream {
    if (this.registry.find(request.channel) === null) throw new LiveProblem('not_found', 'unknown channel');
    const key = this.find(request.channel, request.params);
    const stream = this.welcome(new LiveStream(outlet, this.deps));
    stream.start(request, key);
    return stream;
  }

  stats(): LiveStats {
    let subscriptions = 0;
    for (const subscriber of this.subscribers) subscriptions += subscriber.size;
    const [connections, keys] = [this.subscribers.size, this.keys.size];
    return { connections, subscriptions, keys, ...this.counters };
  }

  /** Ends every client: they may connect again elsewhere, or here after a restart. */
  close(): void {
    this.closed = true;
    for (const subscriber of [...this.subscribers]) subscriber.end(endCodes.restart, 'service restart');
  }

  protected createKey(deps: LiveKeyDeps): LiveKey {
    return new LiveKey(deps);
  }

  private welcome<S extends Subscriber>(subscriber: S): S {
    if (this.closed) subscriber.end(endCodes.restart, 'service restart');
    else this.subscribers.add(subscriber);
    return subscriber;
  }

  private readonly find = (name: string, params: Readonly<Record<string, unknown>>): LiveKey => {
    const channel = this.registry.find(name);
    if (channel === null) throw badLiveRequest('unknown channel');
    const definition = channel.resolve(params);
    const id = `${name}\n${definition.key}`;
    const known = this.keys.get(id);
    if (known !== undefined) return known;
    const key = this.createKey(this.keyDeps(id, name, definition));
    this.keys.set(id, key);
    return key;
  };

  private keyDeps(id: string, channel: string, definition: KeyDefinition): LiveKeyDeps {
    const { limits, clock, logger } = this;
    return { channel, definition, limits, clock, logger, onIdle: () => this.keys.delete(id) };
  }
}

export type { LiveConnection } from './live-connection.js';
export type { LiveStream } from './live-stream.js';
export type { StreamRequest } from './stream-request.js';
