import type {
  ChannelDefinition,
  ChannelPosition,
  KeyDelta,
  KeySink,
  KeySnapshot,
  KeySource,
  Pending,
} from '../channel.js';
import { badLiveRequest, LiveProblem } from '../live-problem.js';

interface Waiting {
  readonly pending: Pending<KeySnapshot>;
  readonly arrive: (snapshot?: Partial<KeySnapshot>) => void;
  readonly fail: (error: unknown) => void;
}

/** One key whose state is a number of deltas; the test says when a snapshot arrives. */
export class ScriptedKey implements KeySource {
  seq = 0;
  closed = false;
  readonly waiting: Waiting[] = [];
  /** Deltas that a resume may have; null: none are held. */
  held: KeyDelta[] | null = null;
  unavailable: unknown = null;

  constructor(
    readonly name: string,
    readonly sink: KeySink,
  ) {}

  snapshot(): Pending<KeySnapshot> {
    if (this.unavailable !== null) throw this.unavailable;
    const { seq } = this;
    let arrive: (snapshot: KeySnapshot) => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const ready = new Promise<KeySnapshot>((resolve, reject) => {
      arrive = resolve;
      fail = reject;
    });
    const pending = { epoch: 'e', seq, ready };
    const whole = { data: [`state ${seq}`], meta: { block: seq }, absent: null };
    this.waiting.push({ pending, arrive: (part = {}) => arrive({ ...whole, ...part }), fail });
    return pending;
  }

  since(from: ChannelPosition): Pending<KeyDelta[]> | null {
    const { held, seq } = this;
    if (held === null || from.epoch !== 'e') return null;
    return { epoch: 'e', seq, ready: Promise.resolve(held.filter((delta) => delta.seq > from.seq)) };
  }

  close(): void {
    this.closed = true;
  }

  /** The next delta, at once or when the answer's promise says so. */
  next(when?: Promise<void>, text = ''): KeyDelta {
    this.seq++;
    const delta = { type: 'deltas', epoch: 'e', seq: this.seq, data: [`delta ${this.seq}${text}`], meta: null };
    this.sink.add(() => (when === undefined ? delta : when.then(() => delta)));
    return delta;
  }

  async arrived(): Promise<void> {
    for (const { arrive } of this.waiting.splice(0)) arrive();
    await settled();
  }
}

export class ScriptedChannel implements ChannelDefinition {
  readonly keys = new Map<string, ScriptedKey>();

  constructor(readonly name = 'numbers') {}

  resolve(params: Readonly<Record<string, unknown>>) {
    const { token } = params;
    if (typeof token !== 'string') throw badLiveRequest('token is required');
    if (token === 'elsewhere') throw new LiveProblem('not_found', 'chain elsewhere is not indexed');
    return {
      key: token.toLowerCase(),
      open: (sink: KeySink) => {
        const key = new ScriptedKey(token.toLowerCase(), sink);
        this.keys.set(key.name, key);
        return key;
      },
    };
  }

  key(name: string): ScriptedKey {
    return this.keys.get(name)!;
  }
}

/** Every promise that can settle has. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
