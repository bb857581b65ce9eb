/** A blockhash that a node gave, and the last block in which a transaction with it can land. */
export interface RecentBlockhash {
  readonly bytes: Uint8Array;
  /** Base58. */
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}
