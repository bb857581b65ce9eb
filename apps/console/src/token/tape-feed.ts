import { signal } from '@preact/signals';
import type { ApiError } from '#libs/serve/client/api-error.js';
import { emptyTrades, followTrades, type TradeList } from '#libs/serve/client/follow-trades.js';
import type { TradesFrame } from '#libs/serve/client/live-frame.js';
import type { TradesRequest } from '#libs/serve/client/live-subscription.js';
import { reorgHints } from '../reorg/reorgs.js';
import { isOpen, passes, type TapeFilter } from '../shown/tape-filter.js';
import type { Clients } from '../state/clients.js';
import { feedError } from './feed-error.js';
import { OlderTrades } from './older-trades.js';
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
  private filter: TapeFilter = { side: null, minUsd: null };
  private readonly older: OlderTrades;
  private noteTimer: ReturnType<typeof setTimeout> | undefined;
  private leaveTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly stream: MomentStream;
  private readonly subscription: { unsubscribe(): void };

  constructor(clients: Clients, request: TradesRequest, moment: PageMoment, rows = MOST_ROWS) {
    this.list = emptyTrades(rows);
    this.older = new OlderTrades(clients.rest, request, rows, () => this.show(this.tape.peek().note));
    this.stream = moment.stream();
    this.subscription = clients.live.subscribe(request, (frame) => this.receive(frame));
  }

  stop(): void {
    this.stream.end();
    this.subscription.unsubscribe();
    this.older.stop();
    clearTimeout(this.noteTimer);
    clearTimeout(this.leaveTimer);
  }

  /** Shows only the trades that pass from now on; what the live ones lack is read. */
  narrow(filter: TapeFilter): void {
    if (filter.side === this.filter.side && filter.minUsd === this.filter.minUsd) return;
    this.filter = filter;
    this.older.read(this.list, filter);
    this.show(this.tape.peek().note);
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
    const lost = this.older.follow(frame, this.list, next, this.filter);
    this.list = lost.length === 0 ? next : { ...next, retracted: [...next.retracted, ...lost] };
    const said = replacedNote(this.list.retracted);
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
    const pass = passes(this.filter);
    const before = this.tape.peek().rows.filter(({ trade }) => pass(trade));
    const rows = tapeAfter(before, this.passing(), now);
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
  /** The list, of the trades that pass alone, continued by the older ones. */
  private passing(): TradeList {
    const { list, filter } = this;
    if (isOpen(filter)) return list;
    const [trades, retracted, added] = [list.trades, list.retracted, list.added].map((of) => of.filter(passes(filter)));
    return {
      ...list,
      trades: [...trades!, ...this.older.rows].slice(0, list.limit),
      retracted: retracted!,
      added: added!,
    };
  }
}
