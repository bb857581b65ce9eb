import type { Session } from './session.js';
import type { TailEntry } from './tail-buffer.js';
import type { ServedLog, TailListener } from './tail-listener.js';

interface BroadcastLogger {
  error(fields: object, message: string): void;
}

/**
 * The listeners of one reader. Invariant: each hears `moved` first, then every group once and in order, until the next
 * `moved`; a switch of tables over the same log is heard as the groups that it added, if any. A listener that fails is
 * logged and does not hold up the others.
 */
export class TailBroadcast {
  private readonly listeners = new Set<TailListener>();
  private answering = false;
  /** Up to where the listeners were told. */
  private toldSeq = -1;
  private told: Session | null = null;

  constructor(
    private readonly chain: string,
    private readonly logger: BroadcastLogger | undefined,
  ) {}

  add(listener: TailListener, current: Session | null): () => void {
    this.listeners.add(listener);
    if (current !== null) this.tell(listener, (told) => told.moved(servedBy(current)));
    return () => this.listeners.delete(listener);
  }

  took(entry: TailEntry): void {
    this.toldSeq = entry.seq;
    this.all((listener) => listener.took(entry));
  }

  /** Another session is served from now on. */
  switched(from: Session | null, to: Session): void {
    const continues = from !== null && from === this.told && from.sameFacts(to.pointer);
    const added = continues ? to.tail.entriesAbove(this.toldSeq) : null;
    this.told = to;
    this.toldSeq = to.tail.position;
    if (added === null) this.all((listener) => listener.moved(servedBy(to)));
    else for (const entry of added) this.all((listener) => listener.took(entry));
  }

  /** Whether views can be had now. */
  answers(now: boolean): void {
    const again = now && !this.answering;
    this.answering = now;
    if (again) this.all((listener) => listener.available());
  }

  private all(what: (listener: TailListener) => void): void {
    for (const listener of this.listeners) this.tell(listener, what);
  }

  private tell(listener: TailListener, what: (listener: TailListener) => void): void {
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
