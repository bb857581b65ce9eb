/** Accounts as a node answers them, and the moment that it answers for. The owner is a base58 address. */
export interface SolanaAccount {
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

/** By base58 address; null for an account that does not exist. */
export type KnownAccounts = ReadonlyMap<string, SolanaAccount | null>;

/** Fees of some venues depend on the slot or on the chain's clock. */
export interface ChainMoment {
  readonly slot: bigint;
  readonly unixTime: bigint;
}
