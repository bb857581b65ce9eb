// Room: what the source keeps on disk next to the log: known pools and tokens, the place of the newest seal. May
// import core, protocol, chain/chains, pipeline/state.

import { join } from 'node:path';
import type { GroupMark } from '#libs/chain/chains/source-port.js';
import { RecordedStore } from '#libs/pipeline/state/lmdb/recorded-store.js';

/** The place in the log that a known set describes: all groups up to and including the marked one. */
export interface KnownSetMark extends GroupMark {
  readonly epoch: number;
  readonly seq: number;
}

/** The known set of one chain's source on disk. */
export type KnownStore = RecordedStore<KnownSetMark>;

/** Where the store of a chain's source is. */
export const knownStoreDir = (dataDir: string, chain: string): string => join(dataDir, `${chain}.known`);

export const openKnownStore = (dir: string): KnownStore => RecordedStore.open<KnownSetMark>(dir);
