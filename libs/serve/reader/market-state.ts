import { forEachYielding } from '#libs/core/for-each-yielding.js';
import type { Hex } from '#libs/core/ids.js';
import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import type { KeyedProjection } from '#libs/pipeline/projections/keyed-projection.js';
import type { Above, KeyRange, PoolAmounts, TimeSpan, TokenSpot } from '#libs/pipeline/store/market/all-rows.js';
import { takenBack, type View } from '#libs/pipeline/store/market/view.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import { type ChainView, isEarlier, sameTables, seesAllUpTo, type ViewPlace } from './chain-view.js';
import { LastTrades } from './last-trades.js';
import { LayeredMap, merged } from './layered-map.js';
import { statsWindows } from './read-stats.js';
import { rowsIn } from './rows-in.js';
import { StoredStats } from './stored-stats.js';
import { tokenProjections } from './token-projections.js';

/** Every token and pool of a chain as some block left them. */
export interface MarketState {
  tokens: LayeredMap<TokenRecord>;
  pools: LayeredMap<PoolRecord>;
  amounts: LayeredMap<PoolAmounts>;
  spots: LayeredMap<TokenSpot>;
  /** Spots where each window of `statsWindows` begins, in their order. */
  spotsBefore: LayeredMap<TokenSpot>[];
  /** By projection of `tokenProjections`, in their order. */
  rows: LayeredMap<KeyedRow>[];
}

/** A token's row of one of `tokenProjections`. */
export function rowOf<Row extends object>(
  { rows }: MarketState,
  projection: KeyedProjection<Row>,
  token: Hex,
): Row | undefined {
  const index = tokenProjections.findIndex((candidate) => candidate.keyed === projection.keyed);
  return rows[index]!.get(token) as Row | undefined;
}

/** A block of one generation's tables. */
interface BlockPlace {
  epoch: number;
  generation: number;
  block: Above;
}

/** A state that was read from the tables, and its block. */
interface Base extends BlockPlace {
  state: MarketState;
}

/** What the tables have above a base: the newest rows by their keys. */
interface Found {
  readonly tokens: ReadonlyMap<string, TokenRecord>;
  readonly pools: ReadonlyMap<string, PoolRecord>;
  readonly amounts: ReadonlyMap<string, PoolAmounts>;
  readonly spots: ReadonlyMap<string, TokenSpot>;
  readonly before: readonly ReadonlyMap<string, TokenSpot>[];
  readonly rows: readonly ReadonlyMap<string, KeyedRow>[];
}

/** The last of these, with the view that it is of. */
interface Newest {
  readonly place: ViewPlace;
  readonly base: Base | null;
  readonly tables: View;
  /** Up to which its windows are. */
  readonly time: number;
  /**
   * The first group that the tables did not have, or the last that they had. As long as it is not taken back, none of theirs is, and rows
   * that follow are not older.
   */
  readonly next: { readonly seq: number; readonly time: number };
  readonly found: Found;
}

const lengths = Object.values(statsWindows);
/** A base younger than this is not brought forward: what came after it is read once more then, and is kept twice until then. */
const KEPT_FOR_MS = 300_000;

/** Rows that one statement of a read from the start looks at: of as many keys its answer is some tens of megabytes. */
const ROWS_PER_READ = 100_000;

/**
 * States of one chain, each read as what came after a sealed block. The state at that block is kept, so that the cost of a
 * read follows from what happened since, not from the whole history. A view without the kept block is read from the start,
 * in pieces of bounded size: a piece that was read is not read again when a later one fails. What was found above it at one view is kept
 * for the next, which reads only the rows that came since and what the windows' beginnings have passed.
 */
export class MarketStates {
  readonly storedStats = new StoredStats();
  readonly lastTrades = new LastTrades();
  private base: Base | null = null;
  private newest: Newest | null = null;
  private first: FirstRead | null = null;

  constructor(
    private readonly keptForMs = KEPT_FOR_MS,
    private readonly rowsPerRead = ROWS_PER_READ,
  ) {}

  async read(view: ChainView): Promise<MarketState> {
    const base = await this.baseFor(view);
    const state = await stateOver(base, await this.foundAt(view, base));
    overlay(view, state);
    return state;
  }

  private async foundAt(view: ChainView, base: Base | null): Promise<Found> {
    const { newest } = this;
    const { tables, head, groups } = view;
    const found =
      newest !== null && newest.base === base && leadsTo(newest, view)
        ? await foundOnward(view, newest)
        : await foundAbove(view, base, tables, head.time);
    // A view of earlier is no reason to forget.
    if (this.newest === null || !isEarlier(view.pin, this.newest.place)) {
      const { seq, time } = groups[0]?.facts ?? { seq: tables.seq, time: head.time };
      this.newest = { place: view.pin, base, tables, time: head.time, next: { seq, time }, found };
    }
    return found;
  }

  /** The kept base brought forward to the newest sealed block of the view, or a new one. Null while nothing is sealed. */
  private async baseFor(view: ChainView): Promise<Base | null> {
    const { epoch, generation } = view.pin;
    const sealed = await view.reads.blockByTime(view.tables, view.tables.sealedTime);
    if (sealed === null) return null;
    const block = { seq: sealed.seq, time: sealed.time };
    const known =
      this.base !== null && holds(view, this.base)
        ? this.base
        : await this.fromTheStart(view, { epoch, generation, block });
    if (sealed.seq === known.block.seq || sealed.time - known.block.time < this.keptForMs) return known;
    const found = await foundAbove(view, known, { ...view.tables, seq: sealed.seq }, sealed.time);
    const state = await stateOver(known, found);
    return this.keep(view, { epoch, generation, block, state });
  }

  private keep(view: ChainView, made: Base): Base {
    // An older view, read for a further page of a list, is no reason to forget a newer base.
    const older = this.base !== null && sameTables(view.pin, this.base) && this.base.block.seq > view.tables.seq;
    if (!older) this.base = made;
    return made;
  }

  /** The state at a sealed block of the view: at the newest one, or where an unfinished read began. */
  private async fromTheStart(view: ChainView, newest: BlockPlace): Promise<Base> {
    let first = this.first;
    if (first === null || !holds(view, first.place)) {
      const other = first;
      first = new FirstRead(view, newest, this.rowsPerRead);
      if (other === null || !sameTables(view.pin, other.place) || other.place.block.seq <= newest.block.seq) {
        this.first = first;
      }
    }
    const base = { ...first.place, state: await first.read() };
    if (this.first === first) this.first = null;
    return this.keep(view, base);
  }
}

/**
 * Reads a state from the start, once for all who wait for it. After a failure the next call continues where it ended. The spots
 * at the beginnings of the windows are nested: only the earliest takes a look at the whole history.
 */
class FirstRead {
  private reading: Promise<MarketState> | null = null;
  private readonly tokens: PiecewiseRead<TokenRecord>;
  private readonly pools: PiecewiseRead<PoolRecord>;
  private readonly amounts: PiecewiseRead<PoolAmounts>;
  /** Of each window from the longest to the shortest, then of the block itself: what the one before does not have. */
  private readonly spots: PiecewiseRead<TokenSpot>[];
  private readonly rows: PiecewiseRead<KeyedRow>[];

  constructor(
    view: ChainView,
    readonly place: BlockPlace,
    rowsPerRead: number,
  ) {
    const { reads } = view;
    const { seq, time } = place.block;
    const tables: View = { ...view.tables, seq };
    const split = (table: string) => () => reads.keyRanges(table, rowsPerRead);
    this.tokens = new PiecewiseRead(split('tokens'), tokenOf, (keys) => reads.allTokens(tables, null, keys));
    this.pools = new PiecewiseRead(split('pools'), poolOf, (keys) => reads.allPools(tables, null, keys));
    this.amounts = new PiecewiseRead(split('pool_states'), poolOf, (keys) => reads.allPoolAmounts(tables, null, keys));
    this.rows = tokenProjections.map(
      ({ keyed }) =>
        new PiecewiseRead(split(keyed.table), tokenOfRow, (keys) => reads.allKeyed(tables, keyed, null, keys)),
    );
    const ends = [...lengths].sort((a, b) => b - a).map((length) => time - length);
    this.spots = [...ends, time].map((upTo, index) => {
      const span = { after: index === 0 ? -1 : ends[index - 1]!, upTo };
      const whole = split('prices');
      // What is younger than the longest window is bounded by it.
      const ranges = index === 0 ? whole : async () => [{ from: '', below: null }];
      return new PiecewiseRead(ranges, tokenOf, (keys) => reads.allSpots(tables, span, keys));
    });
  }

  read(): Promise<MarketState> {
    this.reading ??= this.readOn().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readOn(): Promise<MarketState> {
    const tokens = LayeredMap.over(await this.tokens.read());
    const pools = LayeredMap.over(await this.pools.read());
    const amounts = LayeredMap.over(await this.amounts.read());
    const byEnd: LayeredMap<TokenSpot>[] = [];
    for (const piece of this.spots) {
      const earlier = (await byEnd.at(-1)?.flat()) ?? new Map<string, TokenSpot>();
      byEnd.push(LayeredMap.over(earlier, await piece.read()));
    }
    const longestFirst = [...lengths].sort((a, b) => b - a);
    const spotsBefore = lengths.map((length) => byEnd[longestFirst.indexOf(length)]!);
    const rows: LayeredMap<KeyedRow>[] = [];
    for (const piece of this.rows) rows.push(LayeredMap.over(await piece.read()));
    return { tokens, pools, amounts, spots: byEnd.at(-1)!, spotsBefore, rows };
  }
}

/** One read in ranges of keys; what was read stays when a later range fails. */
class PiecewiseRead<Row> {
  private left: KeyRange[] | null = null;
  private readonly rows = new Map<string, Row>();

  constructor(
    private readonly split: () => Promise<KeyRange[]>,
    private readonly keyOf: (row: Row) => string,
    private readonly piece: (keys: KeyRange) => Promise<Row[]>,
  ) {}

  async read(): Promise<ReadonlyMap<string, Row>> {
    this.left ??= await this.split();
    for (let keys = this.left[0]; keys !== undefined; keys = this.left[0]) {
      const found = await this.piece(keys);
      await forEachYielding(found, (row) => this.rows.set(this.keyOf(row), row));
      this.left.shift();
    }
    return this.rows;
  }
}

/** Whether the block of a base is one that the view sees. */
const holds = (view: ChainView, base: BlockPlace): boolean => seesAllUpTo(view, base, base.block.seq);

/** Whether the view sees all rows of an earlier one, and each row that came since is younger than where its windows begin. */
function leadsTo({ place, tables: known, time, next }: Newest, { pin, tables, head }: ChainView): boolean {
  return (
    sameTables(pin, place) &&
    known.asOfBlock === undefined &&
    tables.asOfBlock === undefined &&
    head.time >= time &&
    tables.seq >= known.seq &&
    (tables.seq === known.seq || (next.time > head.time - Math.min(...lengths) && !takenBack(tables, next.seq)))
  );
}

/** What the tables show at a view whose last block has a given time. */
async function foundAbove(view: ChainView, base: Base | null, tables: View, time: number): Promise<Found> {
  const from = (length: number): number => (base === null ? -1 : base.block.time - length);
  return read(view, tables, base?.block ?? null, spansTo(time, from));
}

/** What was found at an earlier view, with what came since. */
async function foundOnward(view: ChainView, { tables: known, time, next, found }: Newest): Promise<Found> {
  const { tables, head, reads } = view;
  const spans = spansTo(head.time, (length) => time - length);
  if (tables.seq === known.seq) {
    const before = await inOrder(await reads.allSpotsWithin(tables, spans), (spots) => byKey(spots, tokenOf));
    return { ...found, before: await inOrder(before, (spots, index) => merged(found.before[index]!, spots)) };
  }
  const newer = await read(view, tables, { seq: known.seq, time: next.time }, spans);
  return {
    tokens: await merged(found.tokens, newer.tokens),
    pools: await merged(found.pools, newer.pools),
    amounts: await merged(found.amounts, newer.amounts),
    spots: await merged(found.spots, newer.spots),
    before: await inOrder(found.before, (spots, index) => merged(spots, newer.before[index]!)),
    rows: await inOrder(found.rows, (rows, index) => merged(rows, newer.rows[index]!)),
  };
}

/** Of each window what its beginning has passed. */
const spansTo = (time: number, after: (length: number) => number): TimeSpan[] =>
  lengths.map((length) => ({ after: after(length), upTo: time - length }));

async function read(
  { reads }: ChainView,
  tables: View,
  above: Above | null,
  spans: readonly TimeSpan[],
): Promise<Found> {
  const [tokens, pools, amounts, spots, before, ...rows] = await Promise.all([
    reads.allTokens(tables, above),
    reads.allPools(tables, above),
    reads.allPoolAmounts(tables, above),
    reads.allSpots(tables, above),
    reads.allSpotsWithin(tables, spans),
    ...tokenProjections.map(({ keyed }) => reads.allKeyed(tables, keyed, above)),
  ]);
  return {
    tokens: await byKey(tokens, tokenOf),
    pools: await byKey(pools, poolOf),
    amounts: await byKey(amounts, poolOf),
    spots: await byKey(spots, tokenOf),
    before: await inOrder(before, (some) => byKey(some, tokenOf)),
    rows: await inOrder(rows, (some) => byKey(some, tokenOfRow)),
  };
}

async function byKey<Row>(rows: readonly Row[], key: (row: Row) => string): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  await forEachYielding(rows, (row) => found.set(key(row), row));
  return found;
}

/** One after the other. */
async function inOrder<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) made.push(await make(item, index));
  return made;
}

async function stateOver(base: Base | null, found: Found): Promise<MarketState> {
  const state = base?.state;
  const over = async <Row>(below: LayeredMap<Row> | undefined, above: ReadonlyMap<string, Row>) =>
    LayeredMap.over((await below?.flat()) ?? new Map<string, Row>(), above);
  return {
    tokens: await over(state?.tokens, found.tokens),
    pools: await over(state?.pools, found.pools),
    amounts: await over(state?.amounts, found.amounts),
    spots: await over(state?.spots, found.spots),
    spotsBefore: await inOrder(found.before, (some, index) => over(state?.spotsBefore[index], some)),
    rows: await inOrder(found.rows, (some, index) => over(state?.rows[index], some)),
  };
}

const tokenOf = ({ token }: { token: Hex }): Hex => token;
const poolOf = ({ pool }: { pool: Hex }): Hex => pool;
const tokenOfRow = (row: KeyedRow): Hex => row.token as Hex;

/** Applies the visible groups of the tail, oldest first. */
function overlay(view: ChainView, state: MarketState): void {
  const starts = lengths.map((length) => view.head.time - length);
  for (const { facts } of view.groups) {
    if (facts.kind === 'block') {
      for (const record of facts.tokens) state.tokens.set(record.token, record);
      for (const pool of facts.pools) state.pools.set(pool.pool, pool);
    }
    for (const amounts of facts.poolStates) state.amounts.set(amounts.pool, amounts);
    for (const spot of facts.prices) {
      state.spots.set(spot.token, spot);
      starts.forEach((start, index) => {
        if (facts.time <= start) state.spotsBefore[index]!.set(spot.token, spot);
      });
    }
    tokenProjections.forEach((projection, index) => {
      for (const row of rowsIn(projection, facts)) state.rows[index]!.set(tokenOfRow(row), row);
    });
  }
}
