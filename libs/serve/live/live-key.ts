import type { ChannelPosition, KeyDefinition, KeyDelta, KeySink, KeySnapshot, KeySource, Pending } from './channel.js';
import { KeyFrame } from './key-frame.js';
import type { LiveClock, LiveLimits, LiveLogger } from './live-options.js';
import { LiveProblem } from './live-problem.js';
import type { Subscription } from './subscription.js';

export interface LiveKeyDeps {
  readonly channel: string;
  readonly definition: KeyDefinition;
  readonly limits: LiveLimits;
  readonly clock: LiveClock;
  readonly logger: LiveLogger;
  /** Called once, when the last subscription left. */
  readonly onIdle: () => void;
}

/** Subscriptions that wait for the same data, and the deltas that came after its position meanwhile. */
export interface Load {
  readonly from: ChannelPosition;
  readonly members: Set<Subscription>;
  readonly held: KeyFrame[];
  heldSize: number;
  /** More came than may be held: what is being loaded is too old when it arrives. */
  overflowed: boolean;
}

/**
 * What the subscriptions with equal parameters share: one source, one encoding of each delta.
 * Invariant: a subscription is registered in the turn in which the position of its snapshot is taken. From then on every
 * delta above that position is either delivered to it or held for it, so that snapshot and deltas fit together without a
 * gap or an overlap, however long the snapshot takes.
 */
export class LiveKey implements KeySink {
  protected readonly source: KeySource;
  protected readonly live = new Set<Subscription>();
  protected readonly loads = new Set<Load>();
  /** The newest snapshot under way: later subscriptions join it. */
  protected newest: Load | null = null;
  /** Open subscriptions whose data could not be loaded. */
  private readonly stalled = new Set<Subscription>();
  private readonly members = new Set<Subscription>();
  private jobs: (() => KeyDelta | null | Promise<KeyDelta | null>)[] = [];
  private working = false;
  private mustReload = false;
  private failures = 0;
  private cancelRetry: (() => void) | null = null;
  private closed = false;

  constructor(protected readonly deps: LiveKeyDeps) {
    this.source = deps.definition.open(this, deps.clock);
  }

  get size(): number {
    return this.members.size;
  }

  /** The key stays for as long as this subscription does not leave. */
  enter(subscription: Subscription): void {
    this.members.add(subscription);
  }

  /** A subscription wants its data: the deltas after its own position if they are still held, else a snapshot. */
  join(subscription: Subscription): void {
    const { resume } = subscription;
    subscription.resume = null;
    if (resume !== null && !this.mustReload && this.resume(subscription, resume)) return;
    if (this.newest !== null && !this.newest.overflowed) this.newest.members.add(subscription);
    else this.begin([subscription]);
  }

  leave(subscription: Subscription): void {
    this.members.delete(subscription);
    this.detach(subscription);
    if (this.members.size === 0) this.close();
  }

  add(make: () => KeyDelta | null | Promise<KeyDelta | null>): void {
    if (this.closed) return;
    if (this.jobs.length >= this.deps.limits.waitingDeltas) {
      this.reload('lost');
      return;
    }
    this.jobs.push(make);
    if (!this.working) this.work();
  }

  reload(reason: 'replaced' | 'lost'): void {
    const members = new Set([...this.stalled, ...this.live]);
    for (const load of this.loads) for (const subscription of load.members) members.add(subscription);
    this.live.clear();
    this.loads.clear();
    this.stalled.clear();
    this.newest = null;
    if (reason === 'lost') {
      // The deltas in preparation belong to a state that is given up: none of them is sent.
      this.jobs = [];
      this.mustReload = true;
      for (const subscription of members) subscription.lost = subscription.opened;
    }
    if (members.size > 0) this.begin(members);
  }

  available(): void {
    if (this.stalled.size === 0) return;
    this.cancelRetry?.();
    this.cancelRetry = null;
    const waiting = [...this.stalled];
    this.stalled.clear();
    this.begin(waiting);
  }

  /** Takes the position of a snapshot and registers the waiting subscriptions, in one turn. */
  protected begin(subscriptions: Iterable<Subscription>): void {
    const waiting = [...subscriptions];
    if (waiting.length === 0 || this.closed) return;
    let pending: Pending<KeySnapshot>;
    try {
      pending = this.source.snapshot(this.mustReload);
    } catch (error) {
      this.failed(waiting, error);
      return;
    }
    this.mustReload = false;
    const load = this.register(pending, waiting);
    this.newest = load;
    pending.ready.then(
      (snapshot) => this.loaded(load, snapshot),
      (error: unknown) => {
        if (!this.loads.delete(load)) return;
        if (this.newest === load) this.newest = null;
        this.failed([...load.members], error);
      },
    );
  }

  protected register({ epoch, seq }: ChannelPosition, subscriptions: Iterable<Subscription>): Load {
    const members = new Set(subscriptions);
    const load: Load = { from: { epoch, seq }, members, held: [], heldSize: 0, overflowed: false };
    this.loads.add(load);
    return load;
  }

  /** A delta is sent to every subscription that is up to date, and held for those that are loading. */
  protected emit(frame: KeyFrame): void {
    for (const subscription of this.live) if (!subscription.offer(frame)) this.live.delete(subscription);
    for (const load of this.loads) this.hold(load, frame);
  }

  protected hold(load: Load, frame: KeyFrame): void {
    const { epoch, seq } = frame.place;
    if (load.overflowed || epoch !== load.from.epoch || seq <= load.from.seq) return;
    load.held.push(frame);
    load.heldSize += frame.size;
    if (load.heldSize > this.deps.limits.heldBytes) {
      load.overflowed = true;
      load.held.length = 0;
    }
  }

  private loaded(load: Load, { data, extraFields, meta, absent }: KeySnapshot): void {
    if (!this.loads.delete(load)) return;
    if (this.newest === load) this.newest = null;
    this.failures = 0;
    if (load.overflowed) {
      this.begin(load.members);
      return;
    }
    const { epoch, seq } = load.from;
    const frame = new KeyFrame(this.deps.channel, { type: 'snapshot', epoch, seq, data, extraFields, meta });
    for (const subscription of load.members) {
      if (absent !== null && !subscription.opened) subscription.refuse(absent);
      else if (subscription.start(frame)) this.follow(subscription, load.held);
    }
  }

  /** False when the deltas after the position are not all held any more. */
  private resume(subscription: Subscription, from: ChannelPosition): boolean {
    const pending = this.since(from);
    if (pending === null) return false;
    const load = this.register(pending, [subscription]);
    pending.ready.then(
      (deltas) => {
        if (!this.loads.delete(load)) return;
        const missed = deltas.flatMap((delta) => this.framesOf(delta));
        for (const member of load.members) {
          if (load.overflowed) this.begin([member]);
          else if (member.continueFrom(from)) this.follow(member, [...missed, ...load.held]);
        }
      },
      (error: unknown) => {
        if (!this.loads.delete(load)) return;
        this.deps.logger.warn({ channel: this.deps.channel, err: error }, 'live: a resume failed, sending a snapshot');
        if (load.members.size > 0) this.begin(load.members);
      },
    );
    return true;
  }

  /** A source that cannot answer now says why when it is asked for a snapshot. */
  private since(from: ChannelPosition): Pending<KeyDelta[]> | null {
    try {
      return this.source.since(from);
    } catch (error) {
      if (error instanceof LiveProblem) return null;
      throw error;
    }
  }

  private follow(subscription: Subscription, frames: readonly KeyFrame[]): void {
    for (const frame of frames) if (!subscription.offer(frame)) return;
    if (this.members.has(subscription)) this.live.add(subscription);
  }

  /** Data could not be loaded: new subscriptions are refused, open ones wait until it can be. */
  private failed(subscriptions: readonly Subscription[], error: unknown): void {
    const problem = error instanceof LiveProblem ? error : null;
    if (problem === null) {
      this.deps.logger.error({ channel: this.deps.channel, err: error }, 'live: a snapshot failed');
    }
    for (const subscription of subscriptions) {
      if (!this.members.has(subscription)) continue;
      if (!subscription.opened) {
        subscription.refuse(problem ?? new LiveProblem('internal', 'internal error'));
      } else {
        this.stalled.add(subscription);
        subscription.stall();
      }
    }
    if (this.stalled.size === 0 || this.cancelRetry !== null || this.closed) return;
    const pause = this.deps.limits.retryMs * Math.min(20, 2 ** this.failures++);
    this.cancelRetry = this.deps.clock.after(pause, () => {
      this.cancelRetry = null;
      this.available();
    });
  }

  /** Runs what is waiting, in order; at once when it can be made at once. */
  private work(): void {
    while (this.jobs.length > 0 && !this.closed) {
      const { jobs } = this;
      const make = jobs.shift()!;
      let made: ReturnType<typeof make>;
      try {
        made = make();
      } catch (error) {
        this.broken(error);
        continue;
      }
      if (made instanceof Promise) {
        this.working = true;
        made
          .then((delta) => {
            if (jobs === this.jobs) this.send(delta);
          })
          .catch((error: unknown) => {
            if (jobs === this.jobs) this.broken(error);
          })
          .finally(() => {
            this.working = false;
            this.work();
          });
        return;
      }
      this.send(made);
    }
  }

  private send(delta: KeyDelta | null): void {
    if (delta === null || this.closed || (this.live.size === 0 && this.loads.size === 0)) return;
    for (const frame of this.framesOf(delta)) this.emit(frame);
  }

  private framesOf(delta: KeyDelta): KeyFrame[] {
    const frame = new KeyFrame(this.deps.channel, delta);
    if (delta.second === undefined) return [frame];
    return [frame, new KeyFrame(this.deps.channel, { ...delta, ...delta.second }, frame)];
  }

  private broken(error: unknown): void {
    this.deps.logger.warn({ channel: this.deps.channel, err: error }, 'live: a delta failed, sending snapshots');
    this.reload('lost');
  }

  private detach(subscription: Subscription): void {
    this.live.delete(subscription);
    this.stalled.delete(subscription);
    for (const load of this.loads) load.members.delete(subscription);
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelRetry?.();
    this.jobs = [];
    this.loads.clear();
    this.source.close();
    this.deps.onIdle();
  }
}
