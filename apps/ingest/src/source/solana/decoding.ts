import type { PublishedChain, SourceBlock, SourceObserver } from '#libs/chain/chains/source-port.js';
import { KnownSetKeeper } from '../known-set-keeper.js';
import { SolanaBlockBuilder } from './block-builder.js';
import { SolanaDiscoverer } from './discovery.js';
import { SolanaKnownSet } from './known-set.js';
import { RangeAnchors } from './range-anchors.js';
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
  private readonly ranges: RangeAnchors;

  constructor(
    tables: SolanaTables,
    readonly known: SolanaKnownSet,
  ) {
    this.discoverer = new SolanaDiscoverer(tables, known);
    this.builder = new SolanaBlockBuilder({ tables, known });
    this.ranges = new RangeAnchors(tables, known);
  }

  async prepare(blocks: readonly RawSolanaBlock[], reads: AccountReads, signal: AbortSignal): Promise<PreparedBlocks> {
    const last = blocks.at(-1);
    const isHead = last !== undefined && last.source !== 'history';
    const [prepared] = await Promise.all([
      this.discoverer.discover(blocks, reads, signal),
      isHead ? this.ranges.read(last.slot, reads, signal) : undefined,
    ]);
    return prepared;
  }

  build(block: RawSolanaBlock, prepared: PreparedBlocks): SourceBlock {
    const built = this.builder.build(block, prepared);
    return { ...built, anchors: this.ranges.take(block, built) };
  }

  rollback(slot: number): void {
    this.known.rollback(slot);
    this.ranges.rollback(slot);
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
