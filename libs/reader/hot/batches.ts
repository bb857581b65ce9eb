import { setImmediate as nextTurn } from 'node:timers/promises';

/** Reads of one kind that run at the same time; those that come meanwhile wait and are asked for together. */
const MOST_RUNNING = 2;

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

interface Question<Row> {
  readonly seq: number;
  readonly ids: Set<string>;
  readonly found: Promise<Found<Row>>;
  start(): void;
}

interface Kind {
  running: number;
  /** In the order in which they came. */
  waiting: Question<unknown>[];
}

/**
 * Reads by id, several in one question: the engine takes longer to plan a question than to find one row more. Those of one turn are
 * asked for together, as soon as few of their kind run. Invariant: an id gets what its own view says, as only ids of one seq are asked for together.
 */
export class Batches {
  private readonly kinds = new Map<string, Kind>();

  async read<Row>(batch: Batch<Row>): Promise<Found<Row>> {
    const { ids, most } = batch;
    const parts: Promise<Found<Row>>[] = [];
    for (let from = 0; from < ids.length; from += most) parts.push(this.part(batch, ids.slice(from, from + most)));
    const [first, ...rest] = await Promise.all(parts);
    if (first === undefined) return new Map();
    return rest.length === 0 ? first : new Map([first, ...rest].flatMap((found) => [...found]));
  }

  private part<Row>({ kind: name, seq, most, read }: Batch<Row>, ids: readonly string[]): Promise<Found<Row>> {
    const kind = this.kinds.get(name) ?? { running: 0, waiting: [] };
    this.kinds.set(name, kind);
    const waiting = kind.waiting as Question<Row>[];
    const joined = waiting.find((other) => other.seq === seq && other.ids.size + ids.length <= most);
    if (joined !== undefined) {
      for (const id of ids) joined.ids.add(id);
      return joined.found;
    }
    const question = this.question(name, kind, { seq, read }, ids);
    waiting.push(question);
    void nextTurn().then(() => this.startNext(name, kind));
    return question.found;
  }

  private question<Row>(
    name: string,
    kind: Kind,
    { seq, read }: Pick<Batch<Row>, 'seq' | 'read'>,
    asked: readonly string[],
  ): Question<Row> {
    const ids = new Set(asked);
    let begin: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const found = turn.then(() => read([...ids])).finally(() => this.ended(name, kind));
    const start = (): void => {
      kind.running++;
      begin();
    };
    return { seq, ids, found, start };
  }

  private ended(name: string, kind: Kind): void {
    kind.running--;
    this.startNext(name, kind);
  }

  private startNext(name: string, kind: Kind): void {
    if (kind.running < MOST_RUNNING) kind.waiting.shift()?.start();
    const over = kind.running === 0 && kind.waiting.length === 0;
    if (over && this.kinds.get(name) === kind) this.kinds.delete(name);
  }
}
