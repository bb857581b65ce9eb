import type { ChannelPosition } from './channel.js';
import type { KeyFrame } from './key-frame.js';
import type { LiveProblem } from './live-problem.js';
import type { OutFrame } from './outlet.js';

/** What a subscription asks of the client it belongs to. */
export interface SubscriptionOwner {
  /** The transport is full and has not drained yet. */
  readonly isFull: boolean;
  hasRoom(frame: OutFrame): boolean;
  data(frame: OutFrame): void;
  control(type: string, id: string, fields: object): void;
  /** It needs a snapshot and waits for its turn. */
  wait(subscription: Subscription): void;
  /** It has its data, or does not wait for it here. */
  settle(subscription: Subscription): void;
  refused(subscription: Subscription, problem: LiveProblem): void;
}

/** What a client asks of the key that a subscription follows. */
export interface SubscribedKey {
  enter(subscription: Subscription): void;
  join(subscription: Subscription): void;
  leave(subscription: Subscription): void;
}

/**
 * One subscription of one client. Invariant: what was delivered is a snapshot (or a resumed state) at a position followed
 * by every delta of its key after it, in order. Once a delta could not be delivered nothing follows but a fresh snapshot.
 */
export class Subscription {
  /** Its `subscribed` frame is sent. */
  opened = false;
  /** Deltas were dropped since the last snapshot. */
  lost = false;
  /** It holds one of its owner's places for loading. */
  loading = false;
  /** What the client has: nothing above it was delivered. */
  position: ChannelPosition | null = null;

  constructor(
    readonly owner: SubscriptionOwner,
    /** As JSON, the way it was given. */
    readonly id: string,
    readonly channel: string,
    readonly key: SubscribedKey,
    /** Where the client left off elsewhere; used once. */
    public resume: ChannelPosition | null,
  ) {}

  /** A snapshot. False when it did not fit: the owner asks again once there is room. */
  start(frame: KeyFrame): boolean {
    this.owner.settle(this);
    const text = frame.for(this.id);
    if (!this.owner.hasRoom(text)) {
      this.owner.wait(this);
      return false;
    }
    this.announce(false);
    this.position = frame.place;
    this.owner.data(text);
    return true;
  }

  /** The client's own state holds: the deltas it missed follow as ordinary ones. */
  continueFrom(position: ChannelPosition): boolean {
    this.owner.settle(this);
    if (this.owner.isFull) {
      this.owner.wait(this);
      return false;
    }
    this.resume = null;
    this.announce(true);
    this.position = position;
    return true;
  }

  /** A delta. False when it was dropped: the subscription has to start again. */
  offer(frame: KeyFrame): boolean {
    const { position } = this;
    const { place, after } = frame;
    if (position === null || place.epoch !== position.epoch) return true;
    if (place.seq <= position.seq && (after === null || after !== position)) return true;
    const text = frame.for(this.id);
    if (!this.owner.hasRoom(text)) {
      this.lost = true;
      this.owner.wait(this);
      return false;
    }
    this.position = place;
    this.owner.data(text);
    return true;
  }

  /** Its data cannot be loaded for now; the key tries again by itself. */
  stall(): void {
    this.lost = true;
    this.owner.settle(this);
  }

  refuse(problem: LiveProblem): void {
    this.owner.settle(this);
    this.owner.refused(this, problem);
  }

  private announce(resumed: boolean): void {
    if (!this.opened) this.owner.control('subscribed', this.id, { channel: this.channel, resumed });
    else if (this.lost) this.owner.control('lagged', this.id, { channel: this.channel });
    this.opened = true;
    this.lost = false;
  }
}
