import { batch } from '@preact/signals';

/** A frame with rows, as far as its moment goes. */
export interface MomentFrame {
  readonly channel: string;
  readonly type: string;
  readonly epoch: string;
  readonly seq: number;
}

/** A page whose streams do not agree shows what it has all the same: a trade without a price moves no candle. */
const PATIENCE_MS = 300;
/** The candles that replace those of a lost fork are read again. */
const REPLACED_PATIENCE_MS = 2_000;

/**
 * Trades, candles and figures of a token change together. Invariant: frames are shown in the order in which they came, and
 * what a block brought or took back is shown once every stream of the page has said what it means for it.
 */
export class PageMoment {
  private readonly streams = new Set<MomentStream>();
  private held: (() => void)[] = [];
  private epoch: string | null = null;
  /** How far the trades that are held go: the other streams follow to here. */
  private goal = -1;
  /** Seq of a retraction that the candles have not answered. */
  private retracted: number | null = null;
  private patience: ReturnType<typeof setTimeout> | undefined;

  /** A part of the page; it counts from its first frame until it ends. */
  stream(): MomentStream {
    return new MomentStream(this);
  }

  leave(stream: MomentStream): void {
    this.streams.delete(stream);
    this.showWhenWhole();
  }

  take(stream: MomentStream, { channel, type, epoch, seq }: MomentFrame, show: (replaced: boolean) => void): void {
    if (epoch !== this.epoch) this.begin(epoch);
    this.streams.add(stream);
    stream.reached = seq;
    if (channel === 'trades' && type !== 'tags') this.goal = Math.max(this.goal, seq);
    const answers = channel === 'candles' && this.retracted !== null && seq >= this.retracted;
    if (answers) this.retracted = null;
    const replaced = answers && type === 'snapshot';
    if (type === 'retract') {
      this.retracted = seq;
      this.wait(REPLACED_PATIENCE_MS);
    } else if (this.held.length === 0) this.wait(PATIENCE_MS);
    this.held.push(() => show(replaced));
    this.showWhenWhole();
  }

  /** Positions of another log compare with none of before. */
  private begin(epoch: string): void {
    this.showAll();
    this.epoch = epoch;
    this.goal = -1;
    this.retracted = null;
    for (const stream of this.streams) stream.reached = -1;
  }

  private wait(ms: number): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.showAll(), ms);
  }

  private showWhenWhole(): void {
    for (const { reached } of this.streams) if (reached < this.goal) return;
    this.showAll();
  }

  private showAll(): void {
    clearTimeout(this.patience);
    const shown = this.held.splice(0);
    batch(() => {
      for (const show of shown) show();
    });
  }
}

export class MomentStream {
  /** Seq of its newest frame. */
  reached = -1;
  private ended = false;

  constructor(private readonly moment: PageMoment) {}

  /** `show` is called once the moment of the frame has come; `replaced`: it answers a retraction. */
  take(frame: MomentFrame, show: (replaced: boolean) => void): void {
    if (this.ended) return;
    this.moment.take(this, frame, (replaced) => {
      if (!this.ended) show(replaced);
    });
  }

  end(): void {
    this.ended = true;
    this.moment.leave(this);
  }
}
