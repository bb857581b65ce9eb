import type { Session } from './session.js';
import type { TailEntry } from './tail-buffer.js';
import type { ServedLog, TailListener } from './tail-listener.js';

interface BroadcastLogger {
  error(fields: object, message: string): void;
}

/**
 * The listeners of one reader. Invariant: each gets `onReset` first, then every group once and in order until the next
 * `onReset`; a switch of tables over the same log gives `onGroup` for the groups that it added, if any. A listener that
 * fails is logged and does not hold up the others.
 */
export class TailBroadcast {
  private readonly listeners = new Set<TailListener>();
  private isAvailable = false;
  /** The seq of the last group that the listeners got. */
  private notifiedSeq = -1;
  private current: Session | null = null;

  constructor(
    private readonly chain: string,
    private readonly logger: BroadcastLogger | undefined,
  ) {}

  add(listener: TailListener, current: Session | null): () => void {
    this.listeners.add(listener);
    if (current !== null) this.notify(listener, (added) => added.onReset(servedBy(current)));
    return () => this.listeners.delete(listener);
  }

  append(entry: TailEntry): void {
    this.notifiedSeq = entry.seq;
    this.notifyAll((listener) => listener.onGroup(entry));
  }

  /** Another session is served from now on. */
  switchTo(from: Session | null, to: Session): void {
    const continues = from !== null && from === this.current && from.sameFacts(to.pointer);
    const added = continues ? to.tail.entriesAbove(this.notifiedSeq) : null;
    this.current = to;
    this.notifiedSeq = to.tail.position;
    if (added === null) this.notifyAll((listener) => listener.onReset(servedBy(to)));
    else for (const entry of added) this.notifyAll((listener) => listener.onGroup(entry));
  }

  /** Whether views can be had now. */
  setAvailable(now: boolean): void {
    const again = now && !this.isAvailable;
    this.isAvailable = now;
    if (again) this.notifyAll((listener) => listener.onAvailable());
  }

  private notifyAll(what: (listener: TailListener) => void): void {
    for (const listener of this.listeners) this.notify(listener, what);
  }

  private notify(listener: TailListener, what: (listener: TailListener) => void): void {
    try {
      what(listener);
    } catch (error) {
      this.logger?.error({ chain: this.chain, err: error }, 'reader: a listener failed');
    }
  }
}

function servedBy({ pointer, tail }: Session): ServedLog {
  const { epoch, foldVersion } = pointer;
  return { epoch, foldVersion, seq: tail.position, held: tail.entriesAbove(tail.checkpoint.seq) ?? [] };
}
