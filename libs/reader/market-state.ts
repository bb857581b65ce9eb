import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { Above, PoolAmounts, TimeSpan, TokenSpot } from '#libs/store/market/all-rows.js';
import type { View } from '#libs/store/market/view.js';
import type { ChainView } from './chain-view.js';
import { LayeredMap } from './layered-map.js';
import { statsWindows } from './read-stats.js';

/** Every token and pool of a chain as some block left them. */
export interface MarketState {
  tokens: LayeredMap<TokenRecord>;
  pools: LayeredMap<PoolRecord>;
  amounts: LayeredMap<PoolAmounts>;
  spots: LayeredMap<TokenSpot>;
  /** Spots where each window of `statsWindows` begins, in their order. */
  spotsBefore: LayeredMap<TokenSpot>[];
}

/** A state that was read from the tables, and its block. */
interface Base {
  epoch: number;
  generation: number;
  block: Above;
  state: MarketState;
}

const lengths = Object.values(statsWindows);
/** A base younger than this is not brought forward: reading what came after it costs as much either way. */
const KEPT_FOR_MS = 60_000;

/**
 * States of one chain, each read as what came after a sealed block. The state at that block is kept, so that the cost of a
 * read follows from what happened since, not from the whole history. A view without the kept block is read from the start.
 */
export class MarketStates {
  private base: Base | null = null;

  constructor(private readonly keptForMs = KEPT_FOR_MS) {}

  async read(view: ChainView): Promise<MarketState> {
    const base = await this.baseFor(view);
    const state = await after(view, base, view.tables, view.head.time);
    overlay(view, state);
    return state;
  }

  /** The kept base brought forward to the newest sealed block of the view, or a new one. Null while nothing is sealed. */
  private async baseFor(view: ChainView): Promise<Base | null> {
    const { epoch, generation } = view.pin;
    const sealed = await view.reads.blockByTime(view.tables, view.tables.sealedTime);
    if (sealed === null) return null;
    const known = this.base !== null && holds(view, this.base) ? this.base : null;
    if (known !== null && sealed.time - known.block.time < this.keptForMs) return known;
    const block = { seq: sealed.seq, time: sealed.time };
    const state = await after(view, known, { ...view.tables, seq: sealed.seq }, sealed.time);
    const made = { epoch, generation, block, state };
    // An older view, read for a further page of a list, is no reason to forget a newer base.
    const older = this.base !== null && sameTables(view.pin, this.base) && this.base.block.seq > view.tables.seq;
    if (!older) this.base = made;
    return made;
  }
}

const sameTables = (a: { epoch: number; generation: number }, b: { epoch: number; generation: number }): boolean =>
  a.epoch === b.epoch && a.generation === b.generation;

/** Whether the block of a base is one that the view sees. */
function holds(view: ChainView, base: Base): boolean {
  const { seq, retracted } = view.tables;
  if (!sameTables(view.pin, base) || base.block.seq > seq) return false;
  return !retracted.some(
    ({ fromSeq, retractSeq }) => retractSeq <= seq && fromSeq <= base.block.seq && retractSeq > base.block.seq,
  );
}

/** The state that the tables show at a view whose last block has a given time. */
async function after(view: ChainView, base: Base | null, tables: View, time: number): Promise<MarketState> {
  const { reads } = view;
  const above = base?.block ?? null;
  const spans = lengths.map((length): TimeSpan => {
    const upTo = time - length;
    return { after: base === null ? -1 : base.block.time - length, upTo };
  });
  const [tokens, pools, amounts, spots, ...before] = await Promise.all([
    reads.allTokens(tables, above),
    reads.allPools(tables, above),
    reads.allPoolAmounts(tables, above),
    reads.allSpots(tables, above),
    ...spans.map((span) => (span.upTo > span.after ? reads.allSpots(tables, span) : [])),
  ] as const);
  return {
    tokens: merged(base?.state.tokens, tokens, (row) => row.token),
    pools: merged(base?.state.pools, pools, (row) => row.pool),
    amounts: merged(base?.state.amounts, amounts, (row) => row.pool),
    spots: merged(base?.state.spots, spots, (row) => row.token),
    spotsBefore: before.map((rows, index) => merged(base?.state.spotsBefore[index], rows, (row) => row.token)),
  };
}

/** The rows over what was known; the known ones stay as they are. */
function merged<Row>(
  known: LayeredMap<Row> | undefined,
  rows: readonly Row[],
  key: (row: Row) => Hex,
): LayeredMap<Row> {
  const all = LayeredMap.over<Row>(known ?? null);
  for (const row of rows) all.set(key(row), row);
  return all;
}

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
  }
}
