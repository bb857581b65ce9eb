import { controlFrame } from './key-frame.js';
import type { LiveClock, LiveLimits } from './live-options.js';
import type { LiveProblem } from './live-problem.js';
import { endCodes, type OutFrame, type Outlet } from './outlet.js';
import type { Subscription } from './subscription.js';

/** What all subscribers of a hub count together. */
export interface LiveCounters {
  framesSent: number;
  lagged: number;
  slowClosed: number;
}

export interface SubscriberDeps {
  readonly limits: LiveLimits;
  readonly clock: LiveClock;
  readonly counters: LiveCounters;
  /** Called once, when nothing more is sent. */
  readonly onEnd: (subscriber: Subscriber) => void;
}

/**
 * One client and its subscriptions. Invariant: the transport never has more waiting than `bufferBytes` plus one frame of
 * data; past it data is dropped until the transport has drained, then what lost something starts again with a snapshot.
 * Answers to the client's own operations are sent even then, up to as much again.
 */
export abstract class Subscriber {
  protected readonly subscriptions = new Map<string, Subscription>();
  /** Those that need a snapshot and have no place for loading yet, oldest first; null: none. */
  private waiting: Set<Subscription> | null = null;
  private freeLoads: number;
  private full = false;
  /** Bytes of answers that may be waiting in the transport. */
  private answerBytes = 0;
  private ended = false;
  private cancelDeadline: () => void = () => undefined;

  constructor(
    protected readonly outlet: Outlet,
    protected readonly deps: SubscriberDeps,
  ) {
    this.freeLoads = deps.limits.loads;
  }

  get size(): number {
    return this.subscriptions.size;
  }

  get isEnded(): boolean {
    return this.ended;
  }

  /** The transport is full and has not drained yet. */
  get isFull(): boolean {
    if (this.full && this.outlet.bufferedBytes() === 0) this.clearFull();
    return this.full;
  }

  /** The transport's buffer emptied. */
  drained(): void {
    if (this.ended) return;
    this.clearFull();
    this.pump();
  }

  /** The client is gone. */
  close(): void {
    this.finish();
  }

  /** Ends the client from this side. */
  end(code: number, reason: string): void {
    if (this.ended) return;
    this.finish();
    this.outlet.end(code, reason);
  }

  /** Whether a data frame may be sent now; one always may while nothing is waiting. */
  hasRoom(frame: OutFrame): boolean {
    if (this.ended || this.isFull) return false;
    const buffered = this.outlet.bufferedBytes();
    if (buffered === 0 || buffered + frame.text.length <= this.deps.limits.bufferBytes) return true;
    this.full = true;
    this.cancelDeadline = this.deps.clock.after(this.deps.limits.drainMs, () => this.cut());
    return false;
  }

  data(frame: OutFrame): void {
    if (this.ended) return;
    this.deps.counters.framesSent++;
    this.outlet.send(frame);
  }

  control(type: string, id: string, fields: object = {}): void {
    if (this.ended) return;
    this.deps.counters.framesSent++;
    if (type === 'lagged') this.deps.counters.lagged++;
    const frame = controlFrame(type, id, fields);
    this.outlet.send(frame);
    this.answerBytes = Math.min(this.answerBytes + frame.text.length, this.outlet.bufferedBytes());
    if (this.answerBytes > this.deps.limits.bufferBytes) this.cut();
  }

  error(id: string, { code, message }: LiveProblem): void {
    this.control('error', id, { code, message });
  }

  /** A subscription needs a snapshot: it gets a place for loading when its turn comes and the transport has room. */
  wait(subscription: Subscription): void {
    if (this.ended) return;
    this.waiting ??= new Set();
    this.waiting.add(subscription);
  }

  /** A subscription has its data, or is not to wait for it here. */
  settle(subscription: Subscription): void {
    if (!subscription.loading) return;
    subscription.loading = false;
    this.freeLoads++;
    this.pump();
  }

  /** A subscription was refused: it is gone and its id is free. */
  refused(subscription: Subscription, problem: LiveProblem): void {
    this.forget(subscription);
    this.error(subscription.id, problem);
  }

  protected add(subscription: Subscription): void {
    subscription.key.enter(subscription);
    if (this.ended) {
      subscription.key.leave(subscription);
      return;
    }
    this.subscriptions.set(subscription.id, subscription);
    this.wait(subscription);
    this.pump();
  }

  protected forget(subscription: Subscription): void {
    this.subscriptions.delete(subscription.id);
    this.waiting?.delete(subscription);
    this.settle(subscription);
    subscription.key.leave(subscription);
  }

  private pump(): void {
    const { waiting } = this;
    if (waiting === null) return;
    for (const subscription of waiting) {
      if (this.freeLoads === 0 || this.ended || this.isFull) return;
      waiting.delete(subscription);
      this.freeLoads--;
      subscription.loading = true;
      subscription.key.join(subscription);
    }
    if (this.waiting === waiting && waiting.size === 0) this.waiting = null;
  }

  private clearFull(): void {
    this.full = false;
    this.cancelDeadline();
  }

  private cut(): void {
    if (this.ended) return;
    this.deps.counters.slowClosed++;
    this.end(endCodes.slow, 'the client reads too slowly');
  }

  private finish(): void {
    if (this.ended) return;
    this.ended = true;
    this.cancelDeadline();
    this.waiting = null;
    for (const subscription of this.subscriptions.values()) subscription.key.leave(subscription);
    this.subscriptions.clear();
    this.deps.onEnd(this);
  }
}
