import type { ChainFamily } from '#libs/chain/chains/chain-manifest.js';

/** What an index takes on the machine that holds it. */
export interface OwnNeeds {
  /** Bytes of log, tables and state. */
  readonly diskBytes: number;
  /** Bytes of memory of all processes of the chain. */
  readonly memoryBytes: number;
}

const MB = 1_000_000;

/**
 * Bytes of log, tables and state for an event. EVM: measured over the recorded chain (`node dist/bench/nodes.js --loops 3`), the largest of four runs. Solana: for a
 * transaction that does more than vote, measured on a local chain of 3,299 of them, which is little: an upper bound.
 */
const DISK_OF_EVENT: Readonly<Record<ChainFamily, number>> = { evm: 444, solana: 3_300 };

/**
 * The most memory that was seen. EVM: of source, fold and tables while they read the recorded chain at full speed (`node dist/bench/nodes.js --loops 3`). Solana: of
 * the whole program with five local chains (`bench/day`).
 */
const MEMORY_MB: Readonly<Record<ChainFamily, number>> = { evm: 900, solana: 2_450 };

export const ownNeeds = (family: ChainFamily, events: number): OwnNeeds => ({
  diskBytes: DISK_OF_EVENT[family] * events,
  memoryBytes: MEMORY_MB[family] * MB,
});
