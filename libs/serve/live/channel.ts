import type { LiveClock } from './live-options.js';
import type { LiveProblem } from './live-problem.js';

/** A place in one log: `epoch` names the log, `seq` counts in it. Seqs of different epochs cannot be compared. */
export interface ChannelPosition {
  readonly epoch: string;
  readonly seq: number;
}

/** What changed for a key at a position. At most one of a type for each position. */
export interface KeyDelta extends ChannelPosition {
  readonly type: string;
  readonly data: unknown;
  /** Fields of the frame next to `data`. */
  readonly extraFields?: object;
  readonly meta: unknown;
  /**
   * A second frame of the same position, for those who got the first. A client that lost its connection between the two could not
   * say so: `since` gives nothing where the delta at its position had two.
   */
  readonly second?: Pick<KeyDelta, 'type' | 'data'>;
}

export interface KeySnapshot {
  readonly data: unknown;
  readonly extraFields?: object;
  readonly meta: unknown;
  /** Set when there is nothing to subscribe to: a new subscription is refused with it, an open one gets the data. */
  readonly absent: LiveProblem | null;
}

/** The position is fixed now; its data follows. */
export interface Pending<T> extends ChannelPosition {
  readonly ready: Promise<T>;
}

/** What the source of a key tells its subscribers, in the turn of the event loop in which its own state changes. */
export interface KeySink {
  /**
   * A position was reached that changes the key. `make` gives the delta, or null when nothing is to be sent; those of one
   * key run one after the other, in the order in which they were added. A failure ends in `lagged` and a snapshot.
   */
  add(make: () => KeyDelta | null | Promise<KeyDelta | null>): void;
  /** Deltas cannot express the change: sends fresh snapshots. `lost`: subscribers missed something and get `lagged`. */
  reload(reason: 'replaced' | 'lost'): void;
  /** What could not be loaded may be tried again now. */
  available(): void;
}

/** Everything that the subscriptions with equal parameters share. Opened for the first of them, closed after the last. */
export interface KeySource {
  /**
   * The current state: `position` is taken in this turn. Throws or rejects with a LiveProblem. `discarded`: deltas were
   * thrown away, so nothing derived from them may be used.
   */
  snapshot(discarded: boolean): Pending<KeySnapshot>;
  /** The deltas after a position up to the one that is returned, or null when they are not held any more. */
  since(from: ChannelPosition): Pending<KeyDelta[]> | null;
  close(): void;
}

export interface KeyDefinition {
  /** Equal for equal parameters, whatever their spelling; unique within the channel. */
  readonly key: string;
  /** `clock`: for what a source does at times of its own. */
  open(sink: KeySink, clock: LiveClock): KeySource;
}

export interface ChannelDefinition {
  readonly name: string;
  /** Checks the parameters; throws LiveProblem. Nothing is read yet. */
  resolve(params: Readonly<Record<string, unknown>>): KeyDefinition;
}

/** The channels by name. A name that is claimed twice stops the boot. */
export class ChannelRegistry {
  private readonly byName = new Map<string, ChannelDefinition>();

  constructor(channels: readonly ChannelDefinition[]) {
    for (const channel of channels) {
      if (this.byName.has(channel.name)) throw new Error(`live channel ${channel.name} is registered twice`);
      this.byName.set(channel.name, channel);
    }
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  find(name: string): ChannelDefinition | null {
    return this.byName.get(name) ?? null;
  }
}
