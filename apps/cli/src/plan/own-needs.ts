import type { ChainFamily } from '#libs/chain/chains/chain-manifest.js';

/** What an index takes on the machine that holds it. */
export interface OwnNeeds {
  /** Bytes of log and tables; null where it was not measured for the family. */
  readonly diskBytes: number | null;
  /** Bytes of memory of all processes of the chain. */
  readonly memoryBytes: number;
}

const MB = 1_000_000;

/** Measured over the recorded chain (`bench/nodes`, in bench/README.md): bytes of log and tables for an event. */
const DISK_OF_EVENT: Readonly<Record<ChainFamily, number | null>> = { evm: 320, solana: null };

/** The most that source, fold and tables took while they read that chain at full speed (`bench/nodes`). */
const MEMORY_MB: Readonly<Record<ChainFamily, number>> = { evm: 2_000, solana: 2_000 };

export const ownNeeds = (family: ChainFamily, events: number): OwnNeeds => {
  const each = DISK_OF_EVENT[family];
  return { diskBytes: each === null ? null : each * events, memoryBytes: MEMORY_MB[family] * MB };
};
