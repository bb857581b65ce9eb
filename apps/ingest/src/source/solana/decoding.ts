import type { PublishedChain, SourceBlock, SourceObserver } from '#libs/chain/chains/source-port.js';
import { KnownSetKeeper } from '../known-set-keeper.js';
import { SolanaBlockBuilder } from './block-builder.js';
import { SolanaDiscoverer } from './discovery.js';
import { SolanaKnownSet } from './known-set.js';
import type {
  AccountReads,
  PreparedBlocks,
  RawSolanaBlock,
  SolanaDecoding,
  SolanaDecodingKeeper,
} from './raw-block.js';
import type { SolanaTables } from './tables.js';

/** From raw blocks to records of the log, over one known set. */
export class SolanaBlockDecoding implements SolanaDecoding {
  private readonly discoverer: SolanaDiscoverer;
  private readonly builder: SolanaBlockBuilder;

  constructor(
    tables: SolanaTables,
    readonly known: SolanaKnownSet,
  ) {
    this.discoverer = new SolanaDiscoverer(tables, known);
    this.builder = new SolanaBlockBuilder({ tables, known });
  }

  prepare(blocks: readonly RawSolanaBlock[], reads: AccountReads, signal: AbortSignal): Promise<PreparedBlocks> {
    return this.discoverer.discover(blocks, reads, signal);
  }

  build(block: RawSolanaBlock, prepared: PreparedBlocks): SourceBlock {
    return this.builder.build(block, prepared);
  }

  rollback(slot: number): void {
    this.known.rollback(slot);
  }
}

/**
 * Keeps the decoding in step with the published chain, and a copy of what it knows on disk. Each `load` makes a
 * decoding that replaces the one before.
 */
export class SolanaKeeper extends KnownSetKeeper<SolanaKnownSet> implements SolanaDecodingKeeper {
  constructor(
    private readonly tables: SolanaTables,
    dataDir: string,
    chain: string,
    observer: SourceObserver,
  ) {
    super(dataDir, chain, observer, (store) => new SolanaKnownSet(store));
  }

  async load(published: PublishedChain, signal: AbortSignal): Promise<SolanaDecoding> {
    return new SolanaBlockDecoding(this.tables, await this.loadKnown(published, signal));
  }
}
