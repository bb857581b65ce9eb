/** Accounts as a node answers them, and the moment that it answers for. The owner is a base58 address. */
export interface SolanaAccount {
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

/** By base58 address; null for an account that does not exist. */
export type KnownAccounts = ReadonlyMap<string, SolanaAccount | null>;

/** What `read` makes of an account of this owner; null where it is not known, or another's. */
export function readOwned<T>(
  known: KnownAccounts,
  address: string,
  owner: string,
  read: (data: Uint8Array) => T | null,
): T | null {
  const account = known.get(address);
  return account?.owner === owner ? read(account.data) : null;
}

/** Fees of some venues depend on the slot or on the chain's clock. */
export interface ChainMoment {
  readonly slot: bigint;
  readonly unixTime: bigint;
}
