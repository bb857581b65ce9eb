import type { CreationDecoder, EventDecoder } from '#libs/chains/evm/event-decoder.js';
import type { PoolKind } from '#libs/protocol/blocks.js';

/** What one venue folder exports: how its factory announces pools and how its pools speak. */
export interface EvmVenue {
  /** Folder name and PoolRecord.venue. */
  readonly venue: string;
  readonly protocol: 'v2' | 'v3';
  readonly kind: PoolKind;
  /** Swap fee of every pool in parts per million; null where each pool has its own (V3: `fee()`). */
  readonly fixedFeePpm: number | null;
  readonly creationTopic: string;
  readonly decodeCreation: CreationDecoder;
  /** Pool events by topic 0. */
  readonly events: Readonly<Record<string, EventDecoder>>;
}
