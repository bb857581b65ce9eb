import type { KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { PlacedTransaction } from '#libs/chain/chains/solana/rpc/node-block.js';
import type { PublishedChain, SourceBlock } from '#libs/chain/chains/source-port.js';
import type { Hex } from '#libs/core/ids.js';
import type { BlockProof } from '#libs/protocol/blocks.js';

/**
 * A Solana block as a node gave it, checked against the one before. Vote transactions are left out; `index` of the others
 * is still their place in the whole block. Failed transactions are kept: they show that the block is complete.
 */
export interface RawSolanaBlock {
  readonly slot: number;
  readonly parentSlot: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix ms. */
  readonly time: number;
  readonly source: SourceBlock['source'];
  readonly observedAt: number;
  readonly transactions: readonly PlacedTransaction[];
  /**
   * `sampled`: its balances agree with each other and with the blocks before, and blocks near it were compared with another
   * node's. `none`: the nodes, or the only one, are believed. Nothing on Solana proves a block in full.
   */
  readonly proof: BlockProof;
  /** No node tells how some of its transactions ended, or what they called. */
  readonly incomplete?: true;
}

/** Asks a node for accounts as they are now, at `minSlot` or later; null for one that does not exist. Base58 addresses. */
export interface AccountReads {
  accounts(addresses: readonly string[], minSlot: number, signal: AbortSignal): Promise<(SolanaAccount | null)[]>;
  /** All of one slot, that or a later one; absent: not asked for. */
  at?(
    addresses: readonly string[],
    minSlot: number,
    signal: AbortSignal,
  ): Promise<{ slot: number; known: KnownAccounts }>;
}

/**
 * From raw blocks to records of the log. Invariant: after `build` of a block, and after `rollback`, it knows exactly the
 * pools and tokens that the published blocks recorded, so that each is recorded once, in the first block that needs it.
 */
export interface SolanaDecoding {
  /** Asks for what these consecutive blocks need besides what is known so far. */
  prepare(blocks: readonly RawSolanaBlock[], reads: AccountReads, signal: AbortSignal): Promise<PreparedBlocks>;
  /** Pure, apart from what it knows. Blocks come in order, each after its `prepare`. */
  build(block: RawSolanaBlock, prepared: PreparedBlocks): SourceBlock;
  /** Blocks above this slot are gone. */
  rollback(slot: number): void;
}

/**
 * Brings what the decoding knows in step with the published chain at a start, and may keep a copy on disk so that the next
 * start reads less. Calls come as `load`, then `ahead` and `inStep` in turn around each published batch, then `save`.
 */
export interface SolanaDecodingKeeper {
  /** A decoding that knows exactly what the log recorded so far. */
  load(published: PublishedChain, signal: AbortSignal): Promise<SolanaDecoding>;
  /** The decoding is about to run ahead of the log: by `rollback` or `build`. */
  ahead(): void;
  /** What was built is published. */
  inStep(published: PublishedChain): Promise<void>;
  /** Takes what is known to disk, where the decoding is in step with the log; fails without a throw. */
  save(published: PublishedChain): Promise<void>;
  /** A later load opens it again. */
  close(): Promise<void>;
}

/** What was asked for a run of blocks; only its maker looks inside. */
export interface PreparedBlocks {
  readonly answers: ReadonlyMap<string, SolanaAccount | null>;
}
