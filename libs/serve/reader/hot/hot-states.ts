import type { Hex } from '#libs/core/ids.js';
import { keyedFolds } from '#libs/pipeline/projections/registry.js';
import { rowsIn } from '../rows-in.js';
import type { TailGroup } from '../tail-buffer.js';

/** What is held of some rows of the tables: at each moment what the tables say at the seq that `HotStates` is at. */
export interface HotState {
  /** An estimate of what it takes in memory. */
  readonly bytes: number;
  /** The rows of a group that the tables have from now on. False where only the tables know what follows. */
  apply(group: TailGroup): boolean;
  /** Ids whose groups concern it in addition, each once. */
  moreIds?(): readonly string[];
}

/** Rows that are too many to be held: it is noted for a while, so that they are not counted again for each answer. */
export class UncacheableState implements HotState {
  readonly bytes = 0;
  private left = 1_000;

  apply(): boolean {
    return --this.left > 0;
  }
}

export interface HotLimits {
  readonly bytes: number;
  readonly entries: number;
  /** Trades of a token that are read one by one for its windows; of more the tables are asked for sums. */
  readonly trades: number;
}

/** A state takes at least this. */
const LEAST_STATE_BYTES = 256;
const MOST_TRADES = 20_000;

export const hotLimits = (bytes: number): HotLimits => ({
  ...{ bytes, entries: Math.ceil(bytes / LEAST_STATE_BYTES), trades: MOST_TRADES },
});

/** What operators watch. */
export interface HotUse {
  readonly bytes: number;
  readonly entries: number;
  /** Keys that were asked for: those that were held or being loaded, and those that the tables had to be asked for. */
  readonly hits: number;
  readonly misses: number;
  /** How often everything was given up. */
  readonly resets: number;
}

export const NO_USE: HotUse = { bytes: 0, entries: 0, hits: 0, misses: 0, resets: 0 };

export interface StateKey {
  readonly key: string;
  /** Tokens, wallets and pools of the groups that concern it. */
  readonly ids: readonly string[];
}

interface Loading<State> {
  load: (missing: readonly number[]) => Promise<readonly (State | UncacheableState)[]>;
  /** Whether a state has all that is asked for; it is loaded again where not. */
  usable?: (state: State) => boolean;
}

interface Entry extends StateKey {
  state: HotState | null;
  loading: Promise<void> | null;
  /** Groups that came while it was being loaded. */
  readonly missed: TailGroup[];
  indexed: string[];
  bytes: number;
}

/** The id under which a change of any reference price is known. */
export const REFERENCES = '*references';

/** With its places in the maps by key and by id. */
const ENTRY_BYTES = 640;

/**
 * States of keys, each loaded from the tables once and kept by following facts. Invariant: a state is what the tables say at `seq`;
 * `follow` takes all of them on together, so that a view at `seq` is answered without a query. What was used longest ago goes first
 * once the bounds are reached.
 */
export class HotStates {
  private readonly entries = new Map<string, Entry>();
  private readonly byId = new Map<string, Set<Entry>>();
  private readonly loadingNow = new Set<Entry>();
  private held = 0;
  /** Groups that came while a state was loaded are applied to it: states that hold other keys have had them already. */
  private catchingUp = false;
  private hits = 0;
  private misses = 0;
  private resets = 0;

  constructor(
    public seq: number,
    /** Of the block at `seq`, in Unix ms. */
    public time: number,
    readonly limits: HotLimits,
  ) {}

  /** Whether anything may be held. */
  get on(): boolean {
    return this.limits.bytes > 0;
  }

  get use(): HotUse {
    const { held, entries, hits, misses, resets } = this;
    return { bytes: held, entries: entries.size, hits, misses, resets };
  }

  /** The state of a key where it is held and loaded. */
  loaded<State extends HotState>(key: string): State | null {
    const state = this.entries.get(key)?.state ?? null;
    return state instanceof UncacheableState ? null : (state as State | null);
  }

  /**
   * `answer` of the states of keys; `load` is asked for those that are missing, or not `usable`, by their places. Where the tables were
   * followed on meanwhile, nothing that is held belongs to the caller's view: then states that were all loaded for this call are
   * answered from before they follow, and else the answer is null. `answer` runs in the same turn as this look, so that it cannot see
   * later rows.
   */
  async get<State extends HotState, Answer>(
    wanted: readonly StateKey[],
    { load, usable, answer }: Loading<State> & { answer: (states: readonly (State | UncacheableState)[]) => Answer },
  ): Promise<Answer | null> {
    const { seq } = this;
    const missing: number[] = [];
    const found = wanted.map((one, index) => {
      const known = this.entries.get(one.key);
      const state = known?.state ?? null;
      if (
        known !== undefined &&
        (state === null || state instanceof UncacheableState || usable?.(state as State) !== false)
      ) {
        this.entries.delete(one.key);
        this.entries.set(one.key, known);
        return known;
      }
      if (known !== undefined) this.drop(known);
      missing.push(index);
      return this.add(one);
    });
    this.hits += wanted.length - missing.length;
    this.misses += missing.length;
    let overtaken: Answer | null = null;
    if (missing.length > 0) {
      const loading = this.load(
        missing.map((index) => found[index]!),
        async () => {
          const states = await load(missing);
          if (this.seq !== seq && missing.length === wanted.length) overtaken = answer(states);
          return states;
        },
      );
      for (const index of missing) found[index]!.loading = loading;
    }
    const waiting = new Set(found.flatMap(({ loading }) => loading ?? []));
    if (waiting.size > 0) await Promise.all(waiting);
    if (this.seq !== seq || found.some(({ state }) => state === null)) return overtaken;
    return answer(found.map(({ state }) => state as State | UncacheableState));
  }

  /** One key of `get`. Null also where there is too much to be held. */
  one<State extends HotState, Answer>(
    wanted: StateKey,
    {
      load,
      usable,
      answer,
    }: { load: () => Promise<State | UncacheableState> } & Pick<Loading<State>, 'usable'> & {
        answer: (state: State) => Answer;
      },
  ): Promise<Answer | null> {
    return this.get<State, Answer | null>([wanted], {
      load: async () => [await load()],
      usable,
      answer: ([state]) => (state === undefined || state instanceof UncacheableState ? null : answer(state)),
    });
  }

  /** Holds a state that follows from a group; nothing happens where the key is known. */
  put(wanted: StateKey, state: HotState): void {
    if (this.catchingUp || this.entries.has(wanted.key)) return;
    const entry = this.add(wanted);
    entry.state = state;
    this.weigh(entry);
  }

  /** The tables have these groups from now on: all that are visible above the seq before. */
  follow(seq: number, time: number, groups: readonly TailGroup[]): void {
    // What is held of earlier times counts on it that no later block has one of them.
    if (goBack([this.time, ...groups.map(({ facts }) => facts.time)])) {
      this.reset(seq, time);
      return;
    }
    this.seq = seq;
    this.time = time;
    for (const group of groups) {
      for (const entry of this.loadingNow) entry.missed.push(group);
      for (const entry of this.concerned(group)) {
        if (entry.state === null) continue;
        if (entry.state.apply(group)) this.weigh(entry);
        else this.drop(entry);
      }
    }
    this.evict();
  }

  /** Rows that states hold were taken back, or what follows is not what they count on: all are loaded again. */
  reset(seq: number, time: number): void {
    this.seq = seq;
    this.time = time;
    this.entries.clear();
    this.byId.clear();
    this.loadingNow.clear();
    this.held = 0;
    this.resets++;
  }

  private add(wanted: StateKey): Entry {
    const entry: Entry = { ...wanted, state: null, loading: null, missed: [], indexed: [], bytes: 0 };
    this.entries.set(entry.key, entry);
    this.index(entry, wanted.ids);
    return entry;
  }

  private async load(entries: readonly Entry[], load: () => Promise<readonly HotState[]>): Promise<void> {
    for (const entry of entries) this.loadingNow.add(entry);
    try {
      const states = await load();
      entries.forEach((entry, index) => {
        const state = states[index]!;
        // What was dropped meanwhile is of no use to anyone: it did not hear of groups.
        if (this.entries.get(entry.key) !== entry) return;
        this.catchingUp = true;
        const follows = entry.missed.every((group) => state.apply(group));
        this.catchingUp = false;
        if (!follows) this.drop(entry);
        entry.state = state;
        if (this.entries.get(entry.key) === entry) this.weigh(entry);
      });
    } catch (error) {
      for (const entry of entries) this.drop(entry);
      throw error;
    } finally {
      for (const entry of entries) {
        this.loadingNow.delete(entry);
        entry.loading = null;
        entry.missed.length = 0;
      }
    }
    this.evict();
  }

  private concerned(group: TailGroup): Set<Entry> {
    const entries = new Set<Entry>();
    for (const id of idsIn(group)) for (const entry of this.byId.get(id) ?? []) entries.add(entry);
    return entries;
  }

  private index(entry: Entry, ids: readonly string[]): void {
    for (const id of ids) {
      const known = this.byId.get(id);
      if (known === undefined) this.byId.set(id, new Set([entry]));
      else known.add(entry);
      entry.indexed.push(id);
    }
  }

  private weigh(entry: Entry): void {
    const { state } = entry;
    this.index(entry, state?.moreIds?.() ?? []);
    const bytes = ENTRY_BYTES + 2 * entry.key.length + 100 * entry.indexed.length + (state?.bytes ?? 0);
    this.held += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  private drop(entry: Entry): void {
    if (this.entries.get(entry.key) !== entry) return;
    this.entries.delete(entry.key);
    this.held -= entry.bytes;
    entry.bytes = 0;
    for (const id of entry.indexed) {
      const known = this.byId.get(id);
      known?.delete(entry);
      if (known?.size === 0) this.byId.delete(id);
    }
    entry.indexed = [];
  }

  private evict(): void {
    for (const entry of this.entries.values()) {
      if (this.held <= this.limits.bytes && this.entries.size <= this.limits.entries) return;
      if (entry.loading === null) this.drop(entry);
    }
  }
}

const goBack = (times: readonly number[]): boolean => times.some((time, index) => time < times[index - 1]!);

/** Everything that a group has rows of. */
function idsIn({ facts }: TailGroup): Set<Hex> {
  const ids = new Set<Hex>();
  for (const { token } of facts.prices) ids.add(token);
  for (const { pool } of facts.poolStates) ids.add(pool);
  if (facts.references.length > 0) ids.add(REFERENCES);
  for (const keyed of keyedFolds) {
    const names = keyed.form.key.filter(({ kind }) => kind === 'id').map(({ name }) => name);
    for (const row of rowsIn({ keyed }, facts)) for (const name of names) ids.add(row[name] as Hex);
  }
  if (facts.kind !== 'block') return ids;
  for (const { base, quote, wallet } of facts.trades) ids.add(base).add(quote).add(wallet);
  for (const { token } of facts.tokens) ids.add(token);
  for (const { pool, token0, token1 } of facts.pools) ids.add(pool).add(token0).add(token1);
  return ids;
}
