/**
 * How large a question one node is asked: halved when it is too much, larger again while smaller ones are answered. A size
 * that was refused is not asked again at once: it is tried after many answers below it, and after twice as many when it is
 * refused again, so that a limit of a plan costs few refusals and a dense stretch of the chain no lasting slowness.
 * Invariant: 1 <= size <= most.
 */
export class AdaptiveSize {
  private current: number;
  /** The least size that was refused; sizes below it are reached by doubling. */
  private refused = Number.POSITIVE_INFINITY;
  private answered = 0;
  /** Answers at the largest size below the refused one before that is tried again. */
  private patience = FIRST_PATIENCE;
  private probing = false;

  constructor(
    readonly most: number,
    start = most,
  ) {
    this.current = clamp(start, most);
  }

  get size(): number {
    return this.current;
  }

  /** A question of this size was refused. */
  tooMuch(asked: number): void {
    if (this.probing && asked >= this.refused) this.patience = Math.min(this.patience * 2, MOST_PATIENCE);
    this.probing = false;
    this.answered = 0;
    this.refused = Math.min(this.refused, Math.max(asked, 2));
    this.current = clamp(Math.min(this.current, Math.floor(asked / 2)), this.most);
  }

  /** A question of this size was answered: only one of the full size says that more may be asked. */
  fine(asked: number): void {
    if (asked < this.current) return;
    if (this.probing && asked >= this.refused) {
      this.refused = Number.POSITIVE_INFINITY;
      this.patience = FIRST_PATIENCE;
    }
    this.probing = false;
    if (this.current >= this.most) return;
    const below = Math.min(this.most, this.refused - 1);
    if (this.current < below) {
      this.current = Math.min(below, this.current + Math.max(1, this.step()));
      return;
    }
    if (++this.answered < this.patience) return;
    this.answered = 0;
    this.probing = true;
    this.current = clamp(this.refused === Number.POSITIVE_INFINITY ? this.most : this.refused, this.most);
  }

  /** To continue from after a restart. */
  saved(): SavedSize {
    const { current, refused, patience } = this;
    return {
      size: this.probing ? Math.max(1, refused - 1) : current,
      refused: Number.isFinite(refused) ? refused : null,
      patience,
    };
  }

  restore({ size, refused, patience }: SavedSize): void {
    this.current = clamp(size, this.most);
    this.refused = refused ?? Number.POSITIVE_INFINITY;
    this.patience = Math.min(Math.max(patience, FIRST_PATIENCE), MOST_PATIENCE);
  }

  /** Doubles far below a refused size, and goes half of the way when it is near. */
  private step(): number {
    return Math.min(this.current, Math.ceil((Math.min(this.refused - 1, this.most * 4) - this.current) / 2));
  }
}

export interface SavedSize {
  readonly size: number;
  readonly refused: number | null;
  readonly patience: number;
}

const FIRST_PATIENCE = 32;
const MOST_PATIENCE = 4_096;

const clamp = (size: number, most: number): number => Math.min(Math.max(1, Math.floor(size)), most);
