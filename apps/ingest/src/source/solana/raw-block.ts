import type { SolanaAccount } from '#libs/chains/solana/pool-math.js';
import type { SolanaTransaction } from '#libs/chains/solana/transaction.js';
import type { SourceBlock } from '#libs/chains/source-port.js';
import type { Hex } from '#libs/core/ids.js';

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
}

export interface PlacedTransaction {
  readonly index: number;
  readonly tx: SolanaTransaction;
}

/** Asks a node for accounts as they are now, at `minSlot` or later; null for one that does not exist. Base58 addresses. */
export interface AccountReads {
  accounts(addresses: readonly string[], minSlot: number, signal: AbortSignal): Promise<(SolanaAccount | null)[]>;
}

/**
 * From raw blocks to records of the log. Invariant: after `build` of a block, and after `rollback`, it knows exactly the
 * pools and tokens that the published blocks recorded, so that each is recorded once, in the first block that needs it.
 */
export interface SolanaDecoding {
  /** Asks for what these consecutive blocks need to be told from what is unknown so far. */
  prepare(blocks: readonly RawSolanaBlock[], reads: AccountReads, signal: AbortSignal): Promise<PreparedBlocks>;
  /** Pure beside what it knows. Blocks come in order, each after its `prepare`. */
  build(block: RawSolanaBlock, prepared: PreparedBlocks): SourceBlock;
  /** Blocks above this slot are gone. */
  rollback(slot: number): void;
}

/** What was asked for a run of blocks; only its maker looks inside. */
export interface PreparedBlocks {
  readonly answers: ReadonlyMap<string, SolanaAccount | null>;
}
