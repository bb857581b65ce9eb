import type { Hex } from '#libs/core/ids.js';

/** The limits and the fee in the header of a v1 transaction. */
export interface TransactionConfig {
  readonly computeUnitLimit: number;
  readonly loadedAccountsDataSizeLimit: number;
  /** Of the whole transaction. */
  readonly priorityFeeLamports: bigint;
  /** null: the ordinary heap. */
  readonly heapSize: number | null;
}

/** A v1 transaction whose signatures are zeros. */
export interface UnsignedTransaction {
  readonly bytes: Buffer;
  /** In their order: the payer is the first. */
  readonly keys: readonly Hex[];
  readonly signers: number;
}
