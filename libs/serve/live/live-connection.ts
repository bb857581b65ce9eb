import type { ChannelPosition } from './channel.js';
import type { LiveKey } from './live-key.js';
import { badLiveRequest, LiveProblem } from './live-problem.js';
import type { Outlet } from './outlet.js';
import { Subscriber, type SubscriberDeps } from './subscriber.js';
import { Subscription } from './subscription.js';

/** The key that parameters name, or a LiveProblem. */
export type KeyFinder = (channel: string, params: Readonly<Record<string, unknown>>) => LiveKey;

const MOST_ID = 128;

/**
 * A connection with any number of subscriptions: every operation is answered by a frame that carries its id, and an
 * operation that is refused changes nothing.
 */
export class LiveConnection extends Subscriber {
  private numbered = 0;

  constructor(
    outlet: Outlet,
    deps: SubscriberDeps,
    private readonly find: KeyFinder,
  ) {
    super(outlet, deps);
  }

  /** One message of the client, whatever it is. */
  receive(text: string): void {
    this.answer(() => parse(text));
  }

  /** The same of a transport that has read it already. */
  take(message: Record<string, unknown>): void {
    this.answer(() => message);
  }

  /** A message that is none: answered as any other, and counted like one. */
  refuse(message: string): void {
    if (!this.isEnded) this.error('null', badLiveRequest(message));
  }

  private answer(read: () => Record<string, unknown>): void {
    if (this.isEnded) return;
    let id = 'null';
    try {
      const message = read();
      id = idOf(message) ?? 'null';
      this.operate(message, id);
    } catch (error) {
      if (!(error instanceof LiveProblem)) throw error;
      this.error(id, error);
    }
  }

  private operate(message: Record<string, unknown>, id: string): void {
    if (message.op === 'ping') this.control('pong', id);
    else if (message.op === 'subscribe') this.subscribe(message, id);
    else if (message.op === 'unsubscribe') this.unsubscribe(id);
    else throw badLiveRequest('op must be subscribe, unsubscribe or ping');
  }

  private subscribe(message: Record<string, unknown>, given: string): void {
    const { channel, op: _op, id: _id, resume, ...params } = message;
    if (channel === undefined || channel === null || channel === '') throw badLiveRequest('channel is required');
    if (typeof channel !== 'string') throw badLiveRequest('unknown channel');
    if (given !== 'null' && this.subscriptions.has(given)) throw badLiveRequest('id already in use');
    const { subscriptions: most } = this.deps.limits;
    if (this.size >= most) throw badLiveRequest(`at most ${most} subscriptions per socket`);
    const from = resumeOf(resume);
    const key = this.find(channel, params);
    this.add(new Subscription(this, given === 'null' ? this.nextId() : given, channel, key, from));
  }

  private unsubscribe(id: string): void {
    if (id === 'null') throw badLiveRequest('id is required');
    const subscription = this.subscriptions.get(id);
    if (subscription === undefined) throw badLiveRequest('id is not subscribed');
    this.forget(subscription);
    this.control('unsubscribed', id, { channel: subscription.channel });
  }

  private nextId(): string {
    for (;;) {
      const id = JSON.stringify(String(++this.numbered));
      if (!this.subscriptions.has(id)) return id;
    }
  }
}

function parse(text: string): Record<string, unknown> {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw badLiveRequest('frames must be JSON');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw badLiveRequest('op must be subscribe, unsubscribe or ping');
  }
  return message as Record<string, unknown>;
}

/** The id as JSON, or null when there is none. */
function idOf({ id }: Record<string, unknown>): string | null {
  if (id === undefined || id === null) return null;
  if (typeof id === 'string' && id.length >= 1 && id.length <= MOST_ID) return JSON.stringify(id);
  if (Number.isSafeInteger(id)) return JSON.stringify(id);
  throw badLiveRequest(`id must be a string of 1 to ${MOST_ID} characters or an integer`);
}

function resumeOf(resume: unknown): ChannelPosition | null {
  if (resume === undefined || resume === null) return null;
  const { epoch, seq } = resume as Partial<ChannelPosition>;
  if (typeof epoch === 'string' && Number.isSafeInteger(seq) && seq! >= 0) return { epoch, seq: seq! };
  throw badLiveRequest('resume must be {epoch, seq} as a frame gave them');
}
