// Room: the pure fold from blocks to facts: pool states, prices, candles. May import core, protocol, chain/amm,
// pipeline/state, pipeline/projections.

import { createHash } from 'node:crypto';
import { LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { Changes } from '#libs/pipeline/state/changes.js';
import { openHeapState } from '#libs/pipeline/state/heap-store.js';
import type { KeyedState } from '#libs/pipeline/state/keyed-state.js';
import type { RewindPoint } from '#libs/pipeline/state/sealed-store.js';
import { stateHash } from '#libs/pipeline/state/state-hash.js';
import {
  type BlockGroup,
  type BlocksGroup,
  type EpochGroup,
  type FinalizeGroup,
  type PoolRecord,
  type RetractGroup,
  statesPrice,
} from '#libs/protocol/blocks.js';
import type { Envelope } from '#libs/protocol/envelope.js';
import type {
  FactsBlock,
  FactsEpoch,
  FactsFinalize,
  FactsGroup,
  FactsRetract,
  PoolStateFact,
} from '#libs/protocol/facts.js';
import { foldBlock } from './block-fold.js';
import type { FoldParts } from './fold-parts.js';
import { foldSpaces, THE_ONE_KEY } from './fold-spaces.js';
import { FoldStore } from './fold-store.js';
import { GuardIndex, noGuards } from './guards.js';
import { foldKeyed, keyedFacts } from './keyed-folds.js';
import { PriceBook } from './price-book.js';
import { readAhead } from './read-ahead.js';
import { referenceValues, retractionDelta, wholePool } from './state-facts.js';
import { TokenTable } from './token-table.js';
import { differencesOf, TouchedValues, touchedBy } from './touched-values.js';
import { tradeThresholds } from './trades.js';

export { foldVersion } from './fold-version.js';

export interface FoldPosition {
  epoch: number;
  /** Of the last group that was applied. */
  seq: number;
  height: number;
  hash: Hex;
}

export interface FoldOptions {
  /** Most tokens, pools and ticks that stay in memory as objects between two blocks. */
  objects?: number;
  /** Of the last group that was applied, where that was no block. */
  seq?: number;
}

/** About a kilobyte each. */
const DEFAULT_OBJECTS = 150_000;

/** Everything that exists once the epoch group was folded. */
interface Live extends FoldParts {
  chain: string;
  /** Height of the block before the first one. */
  origin: number;
  position: FoldPosition;
}

/**
 * The pure fold of one chain's `blocks` into `facts`.
 *
 * Invariants: the facts of a group depend on the groups before it and on nothing else; the state is that of the
 * surviving blocks alone, whatever was retracted before and whether a retraction was undone or refolded; all of it is in the
 * keyed state, so a fold over what was committed continues exactly like the fold that committed it, and the objects in
 * front of it may go after any group. After an error the fold must not be used.
 */
export class ChainFold {
  private readonly store: FoldStore;
  private readonly objects: number;
  private live: Live | null = null;
  private refolding: TouchedValues | null = null;
  private apart = 0;

  private constructor(
    readonly state: KeyedState,
    { objects = DEFAULT_OBJECTS, seq = state.head?.seq ?? 0 }: FoldOptions,
  ) {
    this.store = new FoldStore(state);
    this.objects = objects;
    this.load(seq);
  }

  /** Continues after the newest block of the state, which has the spaces of `foldSpaces`. */
  static over(state: KeyedState, options: FoldOptions = {}): ChainFold {
    return new ChainFold(state, options);
  }

  /** Over a state that is in the heap alone. */
  static empty(options: FoldOptions = {}): ChainFold {
    return new ChainFold(openHeapState(foldSpaces, { cacheEntries: 0 }), options);
  }

  /** Null before the epoch group. After a retraction height and hash are the new head's, seq is the retraction's. */
  get position(): FoldPosition | null {
    return this.live === null ? null : { ...this.live.position };
  }

  /** Hash of chain, height and all pools and tokens, not of seq and undo: equal for every path to the same blocks. */
  async stateHash(): Promise<Hex> {
    const { height, hash } = this.opened().position;
    const values = await stateHash(this.state);
    return createHash('sha256').update(`${height} ${hash} ${values}`).digest('hex').slice(0, 32);
  }

  /** How many pools are set apart, because what the log says of them cannot be. */
  get poolsSetApart(): number {
    return this.apart;
  }

  /** Tokens, pools and ticks that are in memory as objects, about. */
  get objectsHeld(): number {
    return this.live?.table.size ?? 0;
  }

  /** In order, read page by page: nothing may be applied meanwhile. */
  poolIds(): Iterable<Hex> {
    return this.store.poolIds();
  }

  /** A pool's record and whole state; null when it is not known. */
  pool(id: Hex): { record: PoolRecord; state: PoolStateFact } | null {
    const pool = this.store.pools.get(id);
    if (pool === null) return null;
    const ticks = statesPrice(pool.record.kind) ? this.store.ticksOf(id).values() : [];
    return { record: pool.record, state: wholePool(pool, ticks) };
  }

  /** Brings from disk what these groups are about to touch; nothing may be applied meanwhile. */
  async readAhead(groups: readonly BlocksGroup[]): Promise<void> {
    if (this.live !== null) await readAhead(groups, this.live);
  }

  apply(group: BlocksGroup, inputHash: Hex): FactsGroup {
    this.expectNext(group);
    switch (group.kind) {
      case 'epoch':
        return this.open(group, inputHash);
      case 'block':
        return this.block(group, inputHash);
      case 'retract':
        return this.retract(group, inputHash);
      case 'finalize':
        return this.finalize(group, inputHash);
    }
  }

  /** Whether the blocks that a retraction takes back are all unsealed. */
  canRetract(group: RetractGroup): boolean {
    return this.live !== null && this.state.canRetractTo(group.height);
  }

  /** Of a fold that is given up for a refold elsewhere: states its facts there. */
  expectRetraction(group: RetractGroup): void {
    this.opened();
    this.expectNext(group);
  }

  /**
   * For a retraction below what is sealed: goes back to an earlier commit on the surviving chain. The surviving blocks after
   * it follow by `applySurvivor`, then `finishRefold`.
   */
  async rewind(point: RewindPoint, group: RetractGroup): Promise<void> {
    this.expectRetraction(group);
    this.refolding = new TouchedValues();
    this.refolding.add(await this.state.rewind(point));
    this.load(this.state.head?.seq ?? 0);
  }

  /** The epoch group or a surviving block; may step over the seqs of retracted and other groups in between. */
  applySurvivor(group: BlockGroup | EpochGroup): void {
    if (group.kind === 'epoch') {
      this.expectNext(group);
      this.open(group, '');
      return;
    }
    const state = this.opened();
    if (group.seq <= state.position.seq) throw broken(group, `is not after seq ${state.position.seq}`);
    this.block(group, '');
  }

  /** The facts of the retraction that the fold was rewound for. */
  finishRefold(group: RetractGroup, inputHash: Hex): FactsRetract {
    const touched = this.refolding;
    if (touched === null) throw new TidepoolError('fold_misuse', 'the fold was not rewound');
    this.refolding = null;
    const { table, position } = this.opened();
    this.expectHead(group, position);
    const delta = retractionDelta(touched, (pool) => this.store.pools.get(pool), table);
    this.moveTo(group);
    return { ...this.retraction(group, inputHash), ...delta, ...keyedFacts(touched) };
  }

  /**
   * The facts of a retraction when this fold holds the survivors only, folded from the beginning, and `before` is the fold up
   * to the group before it. Yields now and then: nothing may be applied to either meanwhile.
   */
  *retractFrom(before: ChainFold, group: RetractGroup, inputHash: Hex): Generator<void, FactsRetract> {
    const { table, position } = this.opened();
    before.expectRetraction(group);
    this.expectHead(group, position);
    const touched = yield* differencesOf(before.store, this.store);
    const delta = retractionDelta(touched, (pool) => this.store.pools.get(pool), table);
    this.moveTo(group);
    return { ...this.retraction(group, inputHash), ...delta, ...keyedFacts(touched) };
  }

  /** What a retraction says of the head that it restored. */
  private retraction(group: RetractGroup, inputHash: Hex) {
    const proof = this.store.headValue?.proof ?? null;
    const said = { ...envelope(group), kind: 'retract' as const, inputHash, fromSeq: group.fromSeq };
    return proof === null ? said : { ...said, proof };
  }

  /** No block so far will be retracted without a refold. */
  sealAll(): void {
    this.state.seal(this.opened().position.height);
  }

  private moveTo({ epoch, seq, height, hash }: RetractGroup): void {
    this.opened().position = { epoch, seq, height, hash };
  }

  /** New objects in front of the state as it is. */
  private load(seq: number): void {
    const { chainValue, headValue } = this.store;
    this.live = null;
    this.apart = headValue?.poolsSetApart ?? 0;
    if (chainValue === null || headValue === null) return;
    const { chain, epoch, height: origin, reference } = chainValue;
    const { height, hash } = this.state.head!;
    const table = new TokenTable(reference, this.store);
    const prices = new PriceBook(table, new GuardIndex(this.store, table), headValue.references);
    const thresholds = tradeThresholds(reference.rules);
    this.live = { chain, origin, position: { epoch, seq, height, hash }, store: this.store, table, prices, thresholds };
  }

  private opened(): Live {
    if (this.live === null) throw new TidepoolError('fold_empty', 'the fold has not seen its epoch group yet');
    return this.live;
  }

  private expectNext(group: BlocksGroup): void {
    const position = this.live?.position;
    const seq = position === undefined ? 0 : position.seq + 1;
    if (group.seq !== seq) throw broken(group, `the fold expects seq ${seq}`);
    if ((position === undefined) !== (group.kind === 'epoch'))
      throw broken(group, 'an epoch group stands at seq 0 only');
    if (position !== undefined && group.epoch !== position.epoch)
      throw broken(group, `the fold is in epoch ${position.epoch}`);
    if (this.live !== null && group.chain !== this.live.chain) throw broken(group, `the fold is of ${this.live.chain}`);
  }

  private expectHead(group: Envelope, head: { height: number; hash: Hex }): void {
    // The hash of the block before the first one may be unknown.
    if (head.height !== group.height || (head.hash !== '' && head.hash !== group.hash))
      throw broken(group, `the surviving head is ${head.height} ${head.hash}`);
  }

  private open(group: EpochGroup, inputHash: Hex): FactsEpoch {
    const { chain, epoch, seq, height, hash, reference } = group;
    const table = new TokenTable(reference);
    // No pool is known yet.
    new PriceBook(table, noGuards);
    const references = referenceValues(table);
    this.state.beginBlock({ seq, height, hash });
    this.store.chain.set(THE_ONE_KEY, { chain, epoch, height, hash, reference });
    this.store.head.set(THE_ONE_KEY, { references, poolsSetApart: 0, proof: null });
    this.endBlock();
    this.state.seal(height);
    this.load(seq);
    return { ...envelope(group), kind: 'epoch', inputHash, reference };
  }

  private block(group: BlockGroup, inputHash: Hex): FactsBlock {
    const live = this.opened();
    const { position } = live;
    if (group.height <= position.height)
      throw broken(group, `height ${group.height} does not follow ${position.height}`);
    const first = position.height === live.origin;
    // The block before the first one may be unknown.
    if (group.parentHash !== position.hash && !(first && position.hash === ''))
      throw broken(group, `its parent ${group.parentHash} is not the head ${position.hash}`);
    const { epoch, seq, height, hash } = group;
    this.state.beginBlock({ seq, height, hash });
    const facts = foldBlock(group, live, first, inputHash);
    foldKeyed(facts, group, live.table.reference, this.state);
    const keyed = keyedFacts(this.endBlock());
    this.apart = this.store.headValue!.poolsSetApart;
    live.position = { epoch, seq, height, hash };
    if (live.table.size > this.objects) this.load(seq);
    return Object.assign(facts, keyed);
  }

  private endBlock(): Changes {
    const changes = this.state.endBlock();
    this.refolding?.add(changes);
    return changes;
  }

  private retract(group: RetractGroup, inputHash: Hex): FactsRetract {
    if (!this.canRetract(group))
      throw new TidepoolError('retract_out_of_reach', `height ${group.height} is below the sealed state`);
    const { at, above } = this.state.around(group.height);
    this.expectHead(group, at!);
    if (at!.seq >= group.fromSeq)
      throw broken(group, `the surviving head has seq ${at!.seq}, not below ${group.fromSeq}`);
    if (above !== null && above.seq < group.fromSeq)
      throw broken(group, `block ${above.height} has seq ${above.seq}, below ${group.fromSeq}`);
    const changes = this.state.retractTo(group.height);
    this.refolding?.add(changes);
    const touched = touchedBy(changes);
    // Objects of what is gone must go too, and others point to them.
    this.load(group.seq);
    const delta = retractionDelta(touched, (pool) => this.store.pools.get(pool), this.opened().table);
    return { ...this.retraction(group, inputHash), ...delta, ...keyedFacts(changes) };
  }

  private finalize(group: FinalizeGroup, inputHash: Hex): FactsFinalize {
    const live = this.opened();
    if (group.height > live.position.height)
      throw broken(group, `seals ${group.height} above the head ${live.position.height}`);
    const { at } = this.state.around(group.height);
    if (at?.height === group.height) this.expectHead(group, at);
    this.state.seal(group.height);
    live.position = { ...live.position, seq: group.seq };
    return { ...envelope(group), kind: 'finalize', inputHash, finalizedHeight: group.finalizedHeight };
  }
}

function envelope(group: Envelope): Envelope {
  const { chain, epoch, seq, height, hash, parentHash, time } = group;
  return { chain, epoch, seq, height, hash, parentHash, time };
}

function broken(group: Envelope, reason: string): LogBrokenError {
  return new LogBrokenError(`${group.chain} e${group.epoch} seq ${group.seq}: ${reason}`);
}
