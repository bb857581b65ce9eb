import { readCheckpoint } from '#libs/store/market/checkpoint.js';
import { MarketTables } from '#libs/store/market/market-tables.js';
import { readPointer } from '#libs/store/market/pointer.js';
import { marketReads } from '#libs/store/market/reads.js';
import type { AnalyticsStore } from '#libs/store/store.js';
import type { MarketSource } from './chain-reader.js';

/** What an analytics store holds of one chain, whichever generation is served. */
export function storeSource(store: AnalyticsStore, chain: string): MarketSource {
  return {
    pointer: () => readPointer(store, chain),
    checkpoint: (pointer) => readCheckpoint(store, new MarketTables(store, chain, pointer.generation)),
    reads: (pointer) => marketReads(new MarketTables(store, chain, pointer.generation)),
  };
}
