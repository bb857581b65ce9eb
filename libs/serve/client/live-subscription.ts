import { ApiError } from './api-error.js';
import type { LiveChannels } from './generated/api.js';
import type { ChannelFrame, ErrorFrame, FrameOfChannel, LiveFrame } from './live-frame.js';
import { ReconnectDelay } from './reconnect-delay.js';

/** What a channel is subscribed to with: its declared parameters, those with a default left out or not. */
export type RequestOfChannel<Channel extends keyof LiveChannels> = { channel: Channel } & Required<
  Pick<ParametersOf<Channel>, Subject<Channel>>
> &
  Partial<Omit<ParametersOf<Channel>, Subject<Channel>>>;

type ParametersOf<Channel extends keyof LiveChannels> = LiveChannels[Channel]['parameters'];
/** What a subscription is of; other parameters have a default. */
type Subject<Channel extends keyof LiveChannels> = Extract<
  keyof ParametersOf<Channel>,
  'chain' | 'token' | 'tokens' | 'wallet' | 'board'
>;

export type TradesRequest = RequestOfChannel<'trades'>;
export type CandlesRequest = RequestOfChannel<'candles'>;
export type ChannelRequest = { [Channel in keyof LiveChannels]: RequestOfChannel<Channel> }[keyof LiveChannels];

/** The frames of a request's channel. */
export type FrameOf<Request extends ChannelRequest> = FrameOfChannel<Request['channel']>;

/** What a subscription needs of the connection it lives on. */
export interface SubscriptionWire {
  /** Sends a message if there is an open connection. */
  send(message: object): void;
  /** The subscription was answered on this connection; `resumed`: it missed nothing. */
  answered(id: string, resumed: boolean): void;
  /** It was refused for good, or ended. */
  gone(id: string): void;
}

/** Worth another try by itself: the service says so for these. */
const RETRIED_CODES = new Set(['upstream_unavailable', 'server_busy', 'rate_limited']);

/**
 * One subscription over any number of connections. It knows how far it is, so that a new connection continues after the
 * last frame that was handed out. Rows reach the listener only between the service's `subscribed` and the end of the
 * connection, in order and from one epoch; anything else makes it begin again with a snapshot.
 */
export class LiveSubscription {
  private place: { epoch: string; seq: number } | null = null;
  private phase: 'asked' | 'following' | 'waiting' | 'refused' | 'ended' = 'waiting';
  private problem: ApiError | null = null;
  private readonly delay: ReconnectDelay;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly id: string,
    readonly request: ChannelRequest,
    private readonly listener: (frame: ChannelFrame) => void,
    private readonly wire: SubscriptionWire,
    retryMs: number,
  ) {
    this.delay = new ReconnectDelay(retryMs, 30_000);
  }

  /** True while frames come. */
  get live(): boolean {
    return this.phase === 'following';
  }

  /** Why the service refuses it, or could not serve it at the last attempt; null when neither. */
  get error(): ApiError | null {
    return this.problem;
  }

  /** Had rows before: losing the connection now would mean to miss some. */
  get hasPlace(): boolean {
    return this.place !== null;
  }

  unsubscribe(): void {
    if (this.phase === 'ended') return;
    if (this.phase === 'asked' || this.phase === 'following') this.wire.send({ op: 'unsubscribe', id: this.id });
    this.phase = 'ended';
    clearTimeout(this.retry);
    this.wire.gone(this.id);
  }

  /** A connection is open: asks for the frames behind the last one that was handed out. */
  ask(): void {
    if (this.phase === 'refused' || this.phase === 'ended') return;
    clearTimeout(this.retry);
    this.phase = 'asked';
    const resume = this.place === null ? {} : { resume: this.place };
    this.wire.send({ op: 'subscribe', id: this.id, ...this.request, ...resume });
  }

  /** The connection is gone. */
  disconnected(): void {
    if (this.phase === 'asked' || this.phase === 'following') this.phase = 'waiting';
    clearTimeout(this.retry);
  }

  receive(frame: Exclude<LiveFrame, { type: 'pong' }>): void {
    if (frame.type === 'error') this.refuse(frame);
    else if (frame.channel !== this.request.channel || frame.type === 'unsubscribed') return;
    else if (frame.type === 'subscribed') this.accepted(frame);
    else if (this.phase !== 'following') return;
    else if (frame.type === 'lagged' || this.moveTo(frame)) this.listener(frame);
    else this.begin();
  }

  private accepted(frame: Extract<ChannelFrame, { type: 'subscribed' }>): void {
    if (this.phase !== 'asked') return;
    this.phase = 'following';
    this.problem = null;
    this.delay.reset();
    if (!frame.resumed) this.place = null;
    this.wire.answered(this.id, frame.resumed);
    this.listener(frame);
  }

  /** False when a delta does not continue what was handed out. */
  private moveTo(frame: { type: string; epoch: string; seq: number }): boolean {
    const { epoch, seq } = frame;
    const continues = this.place !== null && this.place.epoch === epoch && this.place.seq <= seq;
    if (frame.type !== 'snapshot' && !continues) return false;
    this.place = { epoch, seq };
    return true;
  }

  private begin(): void {
    this.place = null;
    this.wire.send({ op: 'unsubscribe', id: this.id });
    this.ask();
  }

  private refuse(frame: ErrorFrame): void {
    if (this.phase !== 'asked' && this.phase !== 'following') return;
    this.problem = new ApiError(frame.code, frame.message);
    if (RETRIED_CODES.has(frame.code)) {
      this.phase = 'waiting';
      this.retry = setTimeout(() => this.ask(), this.delay.next());
    } else this.phase = 'refused';
    this.wire.answered(this.id, false);
    this.listener(frame);
    if (this.phase === 'refused') this.wire.gone(this.id);
  }
}
