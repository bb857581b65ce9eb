import { signal } from '@preact/signals';
import type { ApiError } from '#libs/client/api-error.js';
import { emptyTrades, followTrades, type TradeList } from '#libs/client/follow-trades.js';
import type { TradesFrame } from '#libs/client/live-frame.js';
import type { TradesRequest } from '#libs/client/live-subscription.js';
import { reorgHints } from '../reorg/reorgs.js';
import type { Clients } from '../state/clients.js';
import { feedError } from './feed-error.js';
import type { MomentStream, PageMoment } from './page-moment.js';
import { nextLeaving, replacedNote, type TapeRow, tapeAfter } from './tape.js';

export interface Tape {
  readonly rows: readonly TapeRow[];
  /** What was taken back last; null after a while. */
  readonly note: string | null;
  /** Newest block received: the rest of the page can be refreshed at it. */
  readonly block: number | null;
  readonly error: ApiError | null;
}

export const MOST_ROWS = 60;
const NOTE_MS = 10_000;

/** The live trades of a token as the tape shows them, over any number of connections. */
export class TapeFeed {
  readonly tape = signal<Tape>({ rows: [], note: null, block: null, error: null });
  private list: TradeList;
  private noteTimer: ReturnType<typeof setTimeout> | undefined;
  private leaveTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly stream: MomentStream;
  private readonly subscription: { unsubscribe(): void };

  constructor(clients: Clients, request: TradesRequest, moment: PageMoment, rows = MOST_ROWS) {
    this.list = emptyTrades(rows);
    this.stream = moment.stream();
    this.subscription = clients.live.subscribe(request, (frame) => this.receive(frame));
  }

  stop(): void {
    this.stream.end();
    this.subscription.unsubscribe();
    clearTimeout(this.noteTimer);
    clearTimeout(this.leaveTimer);
  }

  private receive(frame: TradesFrame): void {
    if (frame.type === 'error') {
      this.tape.value = { ...this.tape.peek(), error: feedError(frame) };
      return;
    }
    if (!('data' in frame)) return;
    this.stream.take(frame, () => this.apply(frame));
  }

  private apply(frame: TradesFrame): void {
    const next = followTrades(this.list, frame);
    if (next === this.list) return;
    this.list = next;
    const said = replacedNote(next.retracted);
    if (said !== null) {
      reorgHints.value++;
      clearTimeout(this.noteTimer);
      this.noteTimer = setTimeout(() => {
        this.tape.value = { ...this.tape.peek(), note: null };
      }, NOTE_MS);
    }
    this.show(said ?? this.tape.peek().note);
  }

  private show(note: string | null): void {
    const now = Date.now();
    const rows = tapeAfter(this.tape.peek().rows, this.list, now);
    this.tape.value = { rows, note, block: this.list.meta?.block ?? null, error: null };
    clearTimeout(this.leaveTimer);
    const leaving = nextLeaving(rows);
    if (leaving === null) return;
    this.leaveTimer = setTimeout(
      () => {
        this.list = { ...this.list, retracted: [], added: [] };
        this.show(this.tape.peek().note);
      },
      Math.max(0, leaving - now),
    );
  }
}
