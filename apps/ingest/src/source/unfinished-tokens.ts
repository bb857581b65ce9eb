import type { Hex } from '#libs/core/ids.js';
import type { RecordedForm, RecordedTable } from '#libs/pipeline/state/lmdb/recorded-store.js';
import type { KnownStore } from '#libs/pipeline/state/saved/known-store.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';

/** Fields of a record, as bits: which of them are unknown. */
const FIELDS = ['decimals', 'symbol', 'name', 'totalSupply'] as const;
const ALL = (1 << FIELDS.length) - 1;
const DECIMALS = 1;

/** Each pause is so many times the one before, up to a day; what only lacks a name begins with a later one. */
const GROWTH = 4;
const PAUSES = 7;
const FIRST_WITHOUT_NAME = 3;
const MOST_MS = 86_400_000;
const DEFAULT_FIRST_MS = 30_000;

/** In the store's order of heights: what was unknown before a further record. */
const FURTHER = 'further-';

export interface AskAgain {
  /** Pause before the first question. */
  firstMs?: number;
  now?: () => number;
}

/**
 * Tokens of which something is unknown, and when to ask them again: a contract may revert on the day that its pool is made and
 * answer on the next. Without decimals there is neither price nor trade, so that those are asked soon; the others may lack it for
 * good. Invariant: which fields are unknown follows from the records of the published chain up to its head, however it was reached; when
 * to ask is in memory alone, and begins again with the process.
 */
export class UnfinishedTokens {
  private readonly unknown: RecordedTable<number>;
  /** By the length of the pause: due times ascend in each. */
  private readonly turns: Map<Hex, number>[] = Array.from({ length: PAUSES }, () => new Map());
  private readonly firstMs: number;
  private readonly now: () => number;

  constructor(
    private readonly store: KnownStore,
    { firstMs = DEFAULT_FIRST_MS, now = () => performance.now() }: AskAgain = {},
  ) {
    this.firstMs = firstMs;
    this.now = now;
    this.unknown = store.table(unknownForm);
    for (const [token, fields] of this.unknown.entries()) this.schedule(token, fields);
  }

  get size(): number {
    return this.unknown.size;
  }

  /** The first record of a token. */
  first(record: TokenRecord): void {
    this.set(record.token, unknownIn(record, ALL));
  }

  /** Whether a further record says what is unknown. */
  tellsMore(record: TokenRecord): boolean {
    const before = this.unknown.get(record.token) ?? 0;
    return unknownIn(record, before) !== before;
  }

  further(record: TokenRecord, height: number): void {
    const before = this.unknown.get(record.token) ?? 0;
    const after = unknownIn(record, before);
    if (after === before) return;
    this.store.recorded(height, FURTHER + before, record.token);
    this.set(record.token, after);
  }

  /** Takes back what the store has under this name; false for the name of another table. */
  takeBack(table: string, token: Hex): boolean {
    if (!table.startsWith(FURTHER)) return false;
    this.set(token, Number(table.slice(FURTHER.length)));
    return true;
  }

  forget(token: Hex): void {
    this.set(token, 0);
  }

  /** Those whose turn it is and that `isKnown`. Their next turn is after a longer pause. */
  next(most: number, isKnown: (token: Hex) => boolean): Hex[] {
    const next: Hex[] = [];
    const now = this.now();
    for (const [length, turns] of this.turns.entries()) {
      for (const [token, due] of turns) {
        if (next.length === most || due > now) break;
        if (!isKnown(token)) continue;
        next.push(token);
        turns.delete(token);
        this.wait(token, Math.min(length + 1, PAUSES - 1));
      }
    }
    return next;
  }

  private set(token: Hex, fields: number): void {
    this.unknown.set(token, fields === 0 ? null : fields);
    for (const turns of this.turns) turns.delete(token);
    if (fields !== 0) this.schedule(token, fields);
  }

  private schedule(token: Hex, fields: number): void {
    this.wait(token, (fields & DECIMALS) === 0 ? FIRST_WITHOUT_NAME : 0);
  }

  private wait(token: Hex, length: number): void {
    this.turns[length]!.set(token, this.now() + Math.min(this.firstMs * GROWTH ** length, MOST_MS));
  }
}

/** Of some fields those that the record does not say either. */
function unknownIn(record: TokenRecord, fields: number): number {
  return FIELDS.reduce((left, field, bit) => (record[field] === null ? left : left & ~(1 << bit)), fields);
}

const unknownForm: RecordedForm<number> = {
  name: 'unfinished',
  toRow: (fields) => fields,
  fromRow: (row) => row as number,
};
