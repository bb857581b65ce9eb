import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, BlocksGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { GroupKind } from '#libs/protocol/envelope.js';

/**
 * The chain source port: how one family of chains is turned into an ordered stream of decoded blocks, retractions and
 * finalizations. Nothing here knows addresses, nodes or the log's adapters.
 */
export interface BlockRef {
  readonly height: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix ms, the block's own time. */
  readonly time: number;
}

/** A block as a source decoded it; the publisher adds chain, epoch and seq. */
export type SourceBlock = Omit<BlockGroup, 'kind' | 'chain' | 'epoch' | 'seq'>;

export type SourceItem =
  | { kind: 'block'; block: SourceBlock }
  /** Every block above `to` is gone; `to` is a published block or the base of the epoch. */
  | { kind: 'retract'; to: BlockRef }
  /** `block` is a published one and everything up to it is sealed. */
  | { kind: 'finalize'; block: BlockRef; finalizedHeight: number };

/** Enough of a group to recognise it. */
export interface GroupMark {
  readonly kind: GroupKind;
  readonly height: number;
  readonly hash: Hex;
}

/** What the log holds so far. Always up to date with the items that a source has yielded before its current turn. */
export interface PublishedChain {
  readonly epoch: number;
  readonly reference: ReferenceSet;
  /** Seq of the last group, and what identifies that group. */
  readonly seq: number;
  readonly last: GroupMark;
  /** The last surviving block; the base (the block before the first) while there is none. */
  readonly head: BlockRef;
  readonly sealedHeight: number;
  readonly finalizedHeight: number;
  /** Surviving blocks from the sealed one (or the base) up to the head, ascending. */
  readonly unsealed: readonly BlockRef[];
  /** The surviving block at a height, read from the log when it is below the unsealed ones; null where none has it. */
  refAt(height: number): Promise<BlockRef | null>;
  /** Published groups from a seq up to the end. */
  groups(fromSeq: number, signal: AbortSignal): AsyncIterable<BlocksGroup>;
}

export interface EpochStart {
  genesisHash: Hex;
  startHeight: number;
  /** The block before the first: height startHeight − 1, empty hash when the first is the genesis block. */
  base: BlockRef;
}

export interface SourceProgress {
  /** First and last height of this run over history. */
  from: number;
  to: number;
  done: number;
  total: number;
  blocksPerSecond: number;
  etaSeconds: number | null;
}

/** What a source tells about itself. Every method is optional: the stage works the same without anybody listening. */
export interface SourceObserver {
  state?(state: 'starting' | 'history' | 'head' | 'waiting' | 'stopped'): void;
  /** A block was published. */
  head?(block: BlockRef, seq: number): void;
  /** Newest height that the node claims, and how many blocks the log is behind it. */
  lag?(chainHead: number, blocks: number): void;
  reorg?(depth: number, belowSealed: boolean): void;
  /** `endpoint` counts the nodes that answer questions, from 0. */
  rpcError?(kind: string, endpoint: number, message: string): void;
  /** A node that had failed answers again. */
  rpcRecovered?(endpoint: number): void;
  /** A node contradicted itself or the chain; nothing of that answer was published. */
  distrusted?(reason: string): void;
  /**
   * A block with receipts of a type whose encoding is unknown was taken: its root proves nothing, and so many other nodes
   * gave the same receipts.
   */
  unproven?(receiptType: string, confirmedBy: number): void;
  /** A node left logs or transactions out of so many blocks: they were read again in another way. */
  gaps?(blocks: number, reason: string): void;
  /**
   * A block that no node completes or clears of a contradiction. It was taken as it is, or waits for another answer or for
   * the operator's word.
   */
  doubtful?(height: number, reason: string, taken: boolean): void;
  progress?(progress: SourceProgress): void;
  appended?(groups: number, bytes: number): void;
  /** The stage hit an infrastructure failure and starts over from what the log holds. */
  restarted?(error: Error): void;
  epoch?(epoch: number, reason: string): void;
  /** A file that only makes the next start faster could not be written. */
  cacheFailed?(error: Error): void;
}

/** What a source knows of one of its nodes. */
export interface NodeState {
  transport: 'http' | 'ws' | 'grpc';
  ok: boolean;
  /** What failed last, while it does. The message is the node's own, without its address. */
  problem: { kind: string; message: string; at: number } | null;
  /** What it said that it does not have: of blocks below a height, or (null) of any. Absent: nothing is known. */
  lacks?: readonly { what: string; below: number | null; message: string }[];
}

/** The published blocks do not belong to the chain that the nodes serve: only a new epoch can hold it. */
export class EpochBrokenError extends TidepoolError {
  constructor(reason: string) {
    super('epoch_broken', reason);
  }
}

export interface ChainSource {
  /** Version of the decoders: a change asks for a new epoch. */
  readonly decoderVersion: number;
  /** Where a new epoch starts: at the wished height, else near the head. */
  start(wishedHeight: number | undefined, signal: AbortSignal): Promise<EpochStart>;
  /** Throws EpochBrokenError when the nodes serve another chain than the one with this genesis hash. */
  checkGenesis(genesisHash: Hex, signal: AbortSignal): Promise<void>;
  /**
   * Follows the chain from the published head on, for ever. Each yielded batch is published whole and in order before the
   * source gets its next turn.
   */
  follow(published: PublishedChain, signal: AbortSignal): AsyncIterable<SourceItem[]>;
  /** Its nodes in the order of the configuration. */
  nodes?(): NodeState[];
  /** Called when the stage stops: a chance to keep what makes the next start fast. */
  close(): Promise<void>;
}
