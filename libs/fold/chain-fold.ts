import { createHash } from 'node:crypto';
import { LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type {
  BlockGroup,
  BlocksGroup,
  EpochGroup,
  FinalizeGroup,
  PoolRecord,
  RetractGroup,
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
import { PriceBook } from './price-book.js';
import {
  type BlockRef,
  decodeSnapshot,
  encodeSnapshot,
  type FoldState,
  type Position,
  stateBytes,
} from './snapshot.js';
import { wholePool, wholeStateDelta } from './state-facts.js';
import { TokenTable } from './token-table.js';
import { type TradeThresholds, tradeThresholds } from './trades.js';
import { undoBlocks } from './undo-blocks.js';

export { foldVersion } from './fold-version.js';
export type { Position } from './snapshot.js';
export { BadSnapshotError } from './state-bytes.js';

/** Everything that exists once the epoch group was folded. */
interface Live extends FoldState {
  prices: PriceBook;
  thresholds: TradeThresholds;
}

/**
 * The pure fold of one chain's `blocks` into `facts`.
 *
 * Invariants: the facts of a group depend on the groups before it and on nothing else; the state is that of the
 * surviving blocks alone, whatever was retracted before and whether a retraction was undone or refolded; a fold restored
 * from a snapshot continues exactly like the fold that took it. After an error the fold must not be used.
 */
export class ChainFold {
  private constructor(private live: Live | null) {}

  static empty(): ChainFold {
    return new ChainFold(null);
  }

  static restore(snapshot: Uint8Array): ChainFold {
    const state = decodeSnapshot(snapshot);
    const fold = new ChainFold(live(state));
    for (const pool of state.table.pools.values()) fold.live!.prices.markPool(pool);
    fold.live!.prices.evaluate();
    return fold;
  }

  /** Null before the epoch group. After a retraction height and hash are the new head's, seq is the retraction's. */
  get position(): Position | null {
    return this.live === null ? null : { ...this.live.position };
  }

  snapshot(): Uint8Array {
    return encodeSnapshot(this.opened());
  }

  /** Hash of chain, height and all pools and tokens, not of seq and undo: equal for every path to the same blocks. */
  stateHash(): Hex {
    return createHash('sha256').update(stateBytes(this.opened())).digest('hex').slice(0, 32);
  }

  /** How many pools are set apart, because what the log says of them cannot be. */
  get poolsSetApart(): number {
    return this.live?.table.poolsSetApart ?? 0;
  }

  poolIds(): Iterable<Hex> {
    return this.live === null ? [] : this.live.table.pools.keys();
  }

  /** A pool's record and whole state; null when it is not known. */
  pool(id: Hex): { record: PoolRecord; state: PoolStateFact } | null {
    const pool = this.live?.table.pools.get(id);
    return pool === undefined ? null : { record: pool.record, state: wholePool(pool) };
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

  /** Whether the undo records reach back to the retraction's new head. */
  canRetract(group: RetractGroup): boolean {
    return this.live !== null && group.height >= this.live.base.height;
  }

  /**
   * For a refold below the undo records: folds the epoch group or a surviving block and may step over the seqs of
   * retracted and other groups in between.
   */
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

  /**
   * The facts of a retraction that `before` (the fold up to the group before it) could not undo; this fold holds the
   * survivors only. Afterwards this fold is at the position where `before` would be.
   */
  retractFrom(before: ChainFold, group: RetractGroup, inputHash: Hex): FactsRetract {
    const state = this.opened();
    const old = before.opened();
    before.expectNext(group);
    this.expectHead(group, state.position);
    const delta = wholeStateDelta(old.table, state.table);
    state.position = { epoch: group.epoch, seq: group.seq, height: group.height, hash: group.hash };
    return { ...envelope(group), kind: 'retract', inputHash, fromSeq: group.fromSeq, ...delta };
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
    const origin: BlockRef = { seq, height, hash };
    const table = new TokenTable(reference);
    this.live = live({ chain, position: { epoch, seq, height, hash }, origin, base: origin, table, recent: [] });
    return { ...envelope(group), kind: 'epoch', inputHash, reference };
  }

  private block(group: BlockGroup, inputHash: Hex): FactsBlock {
    const state = this.opened();
    const { position } = state;
    if (group.height <= position.height)
      throw broken(group, `height ${group.height} does not follow ${position.height}`);
    const first = position.height === state.origin.height;
    // The block before the first one may be unknown.
    if (group.parentHash !== position.hash && !(first && position.hash === ''))
      throw broken(group, `its parent ${group.parentHash} is not the head ${position.hash}`);
    const { facts, undo } = foldBlock(group, state.table, state.prices, state.thresholds, first);
    state.recent.push(undo);
    state.position = { epoch: group.epoch, seq: group.seq, height: group.height, hash: group.hash };
    return { ...envelope(group), kind: 'block', inputHash, ...facts };
  }

  private retract(group: RetractGroup, inputHash: Hex): FactsRetract {
    const state = this.opened();
    if (!this.canRetract(group))
      throw new TidepoolError(
        'retract_out_of_reach',
        `height ${group.height} is below the undo records (${state.base.height})`,
      );
    let keep = state.recent.length;
    while (keep > 0 && state.recent[keep - 1]!.height > group.height) keep--;
    const head = state.recent[keep - 1] ?? state.base;
    this.expectHead(group, head);
    const gone = state.recent.splice(keep);
    if (head.seq >= group.fromSeq)
      throw broken(group, `the surviving head has seq ${head.seq}, not below ${group.fromSeq}`);
    if (gone.length > 0 && gone[0]!.seq < group.fromSeq)
      throw broken(group, `block ${gone[0]!.height} has seq ${gone[0]!.seq}, below ${group.fromSeq}`);
    const delta = undoBlocks(gone, state.table, state.prices);
    state.position = { epoch: group.epoch, seq: group.seq, height: group.height, hash: group.hash };
    return { ...envelope(group), kind: 'retract', inputHash, fromSeq: group.fromSeq, ...delta };
  }

  private finalize(group: FinalizeGroup, inputHash: Hex): FactsFinalize {
    const state = this.opened();
    if (group.height > state.position.height)
      throw broken(group, `seals ${group.height} above the head ${state.position.height}`);
    const sealed = state.recent.find((block) => block.height === group.height);
    if (sealed !== undefined) this.expectHead(group, sealed);
    let drop = 0;
    while (drop < state.recent.length && state.recent[drop]!.height <= group.height) drop++;
    if (drop > 0) {
      const { seq, height, hash } = state.recent[drop - 1]!;
      state.base = { seq, height, hash };
      state.recent.splice(0, drop);
    }
    state.position = { ...state.position, seq: group.seq };
    return { ...envelope(group), kind: 'finalize', inputHash, finalizedHeight: group.finalizedHeight };
  }
}

function live(state: FoldState): Live {
  return {
    ...state,
    prices: new PriceBook(state.table),
    thresholds: tradeThresholds(state.table.reference.rules),
  };
}

function envelope(group: Envelope): Envelope {
  const { chain, epoch, seq, height, hash, parentHash, time } = group;
  return { chain, epoch, seq, height, hash, parentHash, time };
}

function broken(group: Envelope, reason: string): LogBrokenError {
  return new LogBrokenError(`${group.chain} e${group.epoch} seq ${group.seq}: ${reason}`);
}
