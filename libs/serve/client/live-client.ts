import { ApiError } from './api-error.js';
import { type ChannelFrame, parseFrame } from './live-frame.js';
import type { LiveState, Recovery } from './live-state.js';
import { type ChannelRequest, type FrameOf, LiveSubscription } from './live-subscription.js';
import { ReconnectDelay } from './reconnect-delay.js';
import { type ClientSocket, type ClientSocketClass, globalSocketClass } from './web-socket.js';

export interface LiveClientOptions {
  /** Address of the socket, such as `ws://127.0.0.1:4200/ws`; http and https are read as ws and wss. */
  url: string;
  apiKey?: string | null;
  /** Needed where there is no global WebSocket: Node 20 takes the class of the package `ws`. */
  WebSocket?: ClientSocketClass;
  /**
   * Asked when a connection is refused before it opens, because browsers do not say why. An ApiError with status 401
   * ends the attempts. Any cheap keyed request will do: `() => rest.chains()`.
   */
  probe?: () => Promise<unknown>;
  /** First and longest pause between attempts. */
  retryMs?: number;
  maxRetryMs?: number;
  /** How often the service is asked for a sign of life; a silence of twice as long is a lost connection. */
  pingMs?: number;
  /** How long a connection may take to open. */
  openMs?: number;
  random?: () => number;
}

/** A connection that lasted this long starts the pauses from the first one again. */
const STABLE_MS = 5_000;

/**
 * One connection for any number of subscriptions, made again for ever when it is lost, with growing pauses; each
 * subscription continues after its last frame. Works in browsers and in Node 20. The key is only ever in the address
 * that is dialled.
 */
export class LiveClient {
  private readonly socketClass: ClientSocketClass;
  private readonly address: string;
  private readonly delay: ReconnectDelay;
  private readonly subscriptions = new Map<string, LiveSubscription>();
  private readonly watchers = new Set<(state: LiveState) => void>();
  private current: LiveState = { name: 'idle' };
  private socket: ClientSocket | null = null;
  private isOpen = false;
  private lostAt: number | null = null;
  private nextId = 1;
  /** Pings that nothing was heard after. */
  private unheard = 0;
  /** Subscriptions that had rows before the connection was lost and have not answered on the new one. */
  private recovering = new Set<string>();
  /** One of them had to begin again. */
  private missed = false;
  private dialTimer: ReturnType<typeof setTimeout> | undefined;
  private pingTimer: ReturnType<typeof setInterval> | undefined;
  private stableTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LiveClientOptions) {
    const socketClass = options.WebSocket ?? globalSocketClass();
    if (socketClass === null) {
      throw new ApiError('no_websocket', 'this runtime has no WebSocket: pass a class, such as that of the package ws');
    }
    this.socketClass = socketClass;
    this.address = addressOf(options);
    this.delay = new ReconnectDelay(options.retryMs, options.maxRetryMs, options.random);
  }

  get state(): LiveState {
    return this.current;
  }

  /** Called at every change from now on; the returned function ends that. */
  onState(watcher: (state: LiveState) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** Connects if it is not connected; while it waits for the next attempt, tries at once. */
  connect(): void {
    if (this.socket !== null || this.current.name === 'closed') return;
    this.dial();
  }

  /** Frames of a channel, on this connection and on every later one, until unsubscribe(). */
  subscribe<Request extends ChannelRequest>(
    request: Request,
    listener: (frame: FrameOf<Request>) => void,
  ): LiveSubscription {
    if (this.current.name === 'closed') throw new ApiError('closed', 'this client was closed');
    const subscription = new LiveSubscription(
      String(this.nextId++),
      request,
      listener as (frame: ChannelFrame) => void,
      {
        send: (message) => this.send(message),
        answered: (id, resumed) => this.answered(id, resumed),
        gone: (id) => {
          this.subscriptions.delete(id);
          this.answered(id, true);
        },
      },
      Math.max(this.options.retryMs ?? 0, 2_000),
    );
    this.subscriptions.set(subscription.id, subscription);
    if (this.isOpen) subscription.ask();
    else if (this.current.name === 'idle') this.connect();
    return subscription;
  }

  /** Ends the connection and every attempt; nothing is handed out any more. */
  close(): void {
    this.drop();
    this.subscriptions.clear();
    this.become({ name: 'closed' });
    this.watchers.clear();
  }

  private dial(): void {
    clearTimeout(this.dialTimer);
    const { current } = this;
    if (current.name === 'lost') this.become({ ...current, retryAt: null });
    else this.become({ name: 'connecting' });
    const socket = new this.socketClass(this.address);
    this.socket = socket;
    let refusal = 'the connection was refused';
    const mine = (): boolean => this.socket === socket;
    socket.addEventListener('open', () => mine() && this.opened());
    socket.addEventListener('message', (event: { data: unknown }) => {
      if (mine() && typeof event.data === 'string') this.receive(event.data);
    });
    socket.addEventListener('error', (event: { message?: unknown }) => {
      if (typeof event.message === 'string' && / 401\b/.test(event.message)) refusal = UNAUTHORIZED;
    });
    socket.addEventListener('close', (event: { code: number; reason?: unknown }) => {
      if (mine()) this.lost(this.isOpen ? closeReason(event) : refusal);
    });
    this.dialTimer = setTimeout(() => mine() && this.lost('no answer'), this.options.openMs ?? 10_000);
  }

  private opened(): void {
    clearTimeout(this.dialTimer);
    this.isOpen = true;
    this.unheard = 0;
    this.pingTimer = setInterval(() => this.ping(), this.options.pingMs ?? 15_000);
    this.stableTimer = setTimeout(() => this.delay.reset(), STABLE_MS);
    const before = this.lostAt;
    this.lostAt = null;
    const had = [...this.subscriptions.values()].filter(({ hasPlace }) => hasPlace);
    this.recovering = new Set(had.map(({ id }) => id));
    this.missed = false;
    const outcome = had.length === 0 ? 'nothing missed' : 'pending';
    const recovery: Recovery | null = before === null ? null : { lostMs: Date.now() - before, outcome };
    this.become({ name: 'live', since: Date.now(), recovery });
    for (const subscription of this.subscriptions.values()) subscription.ask();
  }

  private receive(text: string): void {
    this.unheard = 0;
    const frame = parseFrame(text);
    if (frame === null || frame.type === 'pong' || frame.id === null) return;
    this.subscriptions.get(frame.id)?.receive(frame);
  }

  private ping(): void {
    if (this.unheard++ > 0) this.lost('the service fell silent');
    else this.send({ op: 'ping' });
  }

  private send(message: object): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  /** Any end of the current connection, wanted or not by the service. */
  private lost(reason: string): void {
    const before = this.isOpen;
    this.drop();
    if (reason === UNAUTHORIZED || reason === NO_CREDITS) {
      const message = reason === NO_CREDITS ? NO_CREDITS : 'the key is not accepted';
      this.refuse(new ApiError('unauthorized', message, 401));
      return;
    }
    this.lostAt ??= Date.now();
    const pause = this.delay.next();
    const [since, attempt, retryAt] = [this.lostAt, this.delay.attempts, Date.now() + pause];
    this.dialTimer = setTimeout(() => this.dial(), pause);
    this.become({ name: 'lost', since, attempt, retryAt, reason });
    if (!before) void this.askWhy();
  }

  /** The attempt never opened: the key may be the reason. */
  private async askWhy(): Promise<void> {
    const { probe } = this.options;
    if (probe === undefined) return;
    const error = await probe().then(
      () => null,
      (failure: unknown) => failure,
    );
    if (!(error instanceof ApiError) || error.status !== 401 || this.isOpen || this.current.name === 'closed') return;
    this.drop();
    this.refuse(error);
  }

  private refuse(error: ApiError): void {
    this.lostAt = null;
    this.become({ name: 'refused', error });
  }

  private drop(): void {
    const { socket } = this;
    this.socket = null;
    this.isOpen = false;
    clearTimeout(this.dialTimer);
    clearTimeout(this.stableTimer);
    clearInterval(this.pingTimer);
    socket?.close(1000);
    for (const subscription of this.subscriptions.values()) subscription.disconnected();
  }

  private answered(id: string, resumed: boolean): void {
    if (!this.recovering.delete(id)) return;
    const { current } = this;
    if (current.name !== 'live' || current.recovery === null) return;
    if (!resumed) this.missed = true;
    if (this.recovering.size > 0) return;
    const outcome = this.missed ? 'reloaded' : 'nothing missed';
    this.become({ ...current, recovery: { ...current.recovery, outcome } });
  }

  private become(state: LiveState): void {
    this.current = state;
    for (const watcher of [...this.watchers]) watcher(state);
  }
}

const UNAUTHORIZED = 'unauthorized';
const NO_CREDITS = 'the account has no credits left';

/** Why an open connection ended, in words for people. */
function closeReason({ code, reason }: { code: number; reason?: unknown }): string {
  if (code === 4401) return UNAUTHORIZED;
  if (code === 4402) return NO_CREDITS;
  if (code === 4408) return 'this client was too slow';
  if (code === 1012) return 'the service restarts';
  return typeof reason === 'string' && reason !== '' ? reason : 'the connection broke';
}

function addressOf({ url, apiKey }: LiveClientOptions): string {
  const address = new URL(url);
  address.protocol = address.protocol.replace(/^http/, 'ws');
  if (address.protocol !== 'ws:' && address.protocol !== 'wss:') {
    throw new ApiError('bad_address', `the address must begin with ws, wss, http or https: ${address.protocol}`);
  }
  address.hash = '';
  if (apiKey) address.searchParams.set('apiKey', apiKey);
  return address.href;
}
