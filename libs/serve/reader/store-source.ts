import { readCheckpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { readPointer } from '#libs/pipeline/store/market/pointer.js';
import { marketReads } from '#libs/pipeline/store/market/reads.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { MarketSource } from './chain-reader.js';

/** What an analytics store holds of one chain, whichever generation is served. */
export function storeSource(store: AnalyticsStore, chain: string): MarketSource {
  return {
    pointer: () => readPointer(store, chain),
    checkpoint: (pointer) => readCheckpoint(store, new MarketTables(store, chain, pointer.generation)),
    reads: (pointer) => marketReads(new MarketTables(store, chain, pointer.generation)),
  };
}
