import type { Hex } from '#libs/core/ids.js';
import type { KeyedSpace } from '#libs/pipeline/state/keyed-space.js';
import type { KeyedState } from '#libs/pipeline/state/keyed-state.js';
import { prefixRange } from '#libs/pipeline/state/space.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import {
  type Bounds,
  type ChainValue,
  chainSpace,
  guardSpace,
  type HeadValue,
  headSpace,
  highGuardSpace,
  lowGuardSpace,
  type PoolSide,
  poolSpace,
  type SavedToken,
  THE_ONE_KEY,
  tickSpace,
  ticksOf,
  tokenPoolSpace,
  tokenPoolsPrefix,
  tokenSpace,
} from './fold-spaces.js';
import type { SavedPool } from './pool-scalars.js';

/** Rows of a range that are read in one go. A range over the whole space looks at all unwritten keys for each page. */
const PAGE = 5_000;

/** The spaces of a fold's keyed state. */
export class FoldStore {
  readonly chain: KeyedSpace<ChainValue>;
  readonly head: KeyedSpace<HeadValue>;
  readonly pools: KeyedSpace<SavedPool>;
  readonly ticks: KeyedSpace<TickRecord>;
  readonly tokens: KeyedSpace<SavedToken>;
  readonly tokenPools: KeyedSpace<true>;
  readonly guards: KeyedSpace<Bounds>;
  readonly lowGuards: KeyedSpace<Bounds>;
  readonly highGuards: KeyedSpace<Bounds>;
  /** Ticks that were read so far. */
  ticksRead = 0;

  constructor(readonly state: KeyedState) {
    this.chain = state.space(chainSpace);
    this.head = state.space(headSpace);
    this.pools = state.space(poolSpace);
    this.ticks = state.space(tickSpace);
    this.tokens = state.space(tokenSpace);
    this.tokenPools = state.space(tokenPoolSpace);
    this.guards = state.space(guardSpace);
    this.lowGuards = state.space(lowGuardSpace);
    this.highGuards = state.space(highGuardSpace);
  }

  get chainValue(): ChainValue | null {
    return this.chain.get(THE_ONE_KEY);
  }

  get headValue(): HeadValue | null {
    return this.head.get(THE_ONE_KEY);
  }

  ticksOf(pool: Hex): Map<number, TickRecord> {
    const ticks = new Map<number, TickRecord>();
    for (const [, tick] of this.ticks.range(ticksOf(pool))) ticks.set(tick.tick, tick);
    this.ticksRead += ticks.size;
    return ticks;
  }

  /** In order, page by page. */
  *poolIdsOf(token: Hex, side: PoolSide): Generator<Hex, void> {
    const prefix = tokenPoolsPrefix(token, side);
    for (const key of keysOf(this.tokenPools, prefixRange(prefix))) yield key.slice(prefix.length);
  }

  *poolIds(): Generator<Hex, void> {
    yield* keysOf(this.pools, { from: '', to: null });
  }
}

function* keysOf(space: KeyedSpace<unknown>, { from, to }: { from: Hex; to: Hex | null }): Generator<Hex, void> {
  for (let next: Hex | null = from; next !== null; ) {
    const page: [Hex, unknown][] = space.range({ from: next, to, limit: PAGE });
    for (const [key] of page) yield key;
    next = page.length < PAGE ? null : `${page.at(-1)![0]}00`;
  }
}
