import { setImmediate as nextTurn } from 'node:timers/promises';
import { SHORT_READS_AT_ONCE } from '#libs/pipeline/store/store.js';

/** Reads of one kind that run at the same time; those that come meanwhile wait and are asked for together. */
const MOST_OF_A_KIND = 2;

/** Ids of one question at most, where each has one row, and where each may have many. */
export const MOST_IDS = 200;
export const MOST_LONG = 16;

/** Found by id; there may be others that were asked for in the same question. */
type Found<Row> = ReadonlyMap<string, Row>;

export interface Batch<Row> {
  readonly kind: string;
  /** The seq of the view that is read. */
  readonly seq: number;
  readonly ids: readonly string[];
  /** Ids of one question at most. */
  readonly most: number;
  read(ids: string[]): Promise<Found<Row>>;
}

interface BatchRead<Row> {
  readonly kind: string;
  readonly seq: number;
  readonly ids: Set<string>;
  readonly found: Promise<Found<Row>>;
  /** Until the turn in which it was asked for is over, so that the rest of that turn joins it. */
  ready: boolean;
  start(): void;
}

/**
 * Reads by id, several in one question: the engine takes longer to plan a question than to find one row more. Those of one turn are
 * asked for together, and with them what comes while as many run as may: the busier the store, the more ids a question has. Invariant:
 * an id gets what its own view says, as only ids of one seq are asked for together.
 */
export class Batches {
  private readonly running = new Map<string, number>();
  private runningNow = 0;
  /** In the order in which they came. */
  private waiting: BatchRead<unknown>[] = [];

  async read<Row>(batch: Batch<Row>): Promise<Found<Row>> {
    const { ids, most } = batch;
    const parts: Promise<Found<Row>>[] = [];
    for (let from = 0; from < ids.length; from += most) parts.push(this.part(batch, ids.slice(from, from + most)));
    const [first, ...rest] = await Promise.all(parts);
    if (first === undefined) return new Map();
    return rest.length === 0 ? first : new Map([first, ...rest].flatMap((found) => [...found]));
  }

  private part<Row>({ kind, seq, most, read }: Batch<Row>, ids: readonly string[]): Promise<Found<Row>> {
    const waiting = this.waiting as BatchRead<Row>[];
    const joined = waiting.find(
      (other) => other.kind === kind && other.seq === seq && new Set([...other.ids, ...ids]).size <= most,
    );
    if (joined !== undefined) {
      for (const id of ids) joined.ids.add(id);
      return joined.found;
    }
    const question = this.question({ kind, seq, read }, ids);
    waiting.push(question);
    void nextTurn().then(() => {
      question.ready = true;
      this.startNext();
    });
    return question.found;
  }

  private question<Row>(
    { kind, seq, read }: Pick<Batch<Row>, 'kind' | 'seq' | 'read'>,
    asked: readonly string[],
  ): BatchRead<Row> {
    const ids = new Set(asked);
    let begin: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const found = turn.then(() => read([...ids])).finally(() => this.ended(kind));
    const start = (): void => {
      this.runningNow++;
      this.running.set(kind, this.runningOf(kind) + 1);
      begin();
    };
    return { kind, seq, ids, found, ready: false, start };
  }

  private ended(kind: string): void {
    this.runningNow--;
    const left = this.runningOf(kind) - 1;
    if (left > 0) this.running.set(kind, left);
    else this.running.delete(kind);
    this.startNext();
  }

  /** Starts what may start, the oldest first. */
  private startNext(): void {
    // One more would wait in the store, where no id can join it.
    while (this.runningNow < SHORT_READS_AT_ONCE) {
      const index = this.waiting.findIndex(({ kind, ready }) => ready && this.runningOf(kind) < MOST_OF_A_KIND);
      if (index < 0) return;
      this.waiting.splice(index, 1)[0]!.start();
    }
  }

  private runningOf(kind: string): number {
    return this.running.get(kind) ?? 0;
  }
}
