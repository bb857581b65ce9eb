import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';

/**
 * How a venue writes a swap of one of its pools. Invariant: the instruction that `write` gives moves what the venue's own
 * quote over the same accounts says, and fails where it would cross the order's limit. All addresses are base58.
 */
export interface SolanaSwapInstructions {
  /**
   * Addresses of the accounts that an instruction needs to be read first, those of a quote left out; asked again with the
   * answers until it names nothing new, as `SolanaPoolVenue.needs` is.
   */
  needs(pool: string, known: KnownAccounts, mints?: readonly string[]): readonly string[];
  /** Null when an account is missing or the program has no such instruction (some know exact inputs alone). */
  write(order: SolanaSwapOrder, known: KnownAccounts, mints?: readonly string[]): SolanaCall | null;
  /** Whether the program moves lamports of the trader itself where an order has wrapped ones; without it: of no pool. */
  movesCoins?(pool: string, known: KnownAccounts): boolean;
  /** Accounts that the program makes or lengthens in a swap where they are shorter, and whose rent the trader then pays. */
  deposits?(pool: string, trader: string, known: KnownAccounts): readonly SolanaDeposit[];
}

interface SolanaDeposit {
  readonly address: string;
  /** What the account holds afterwards. */
  readonly bytes: number;
  /** Whether the rent of what it grows by is due whatever it holds. */
  readonly grows?: true;
}

export interface SolanaSwapOrder {
  readonly pool: string;
  /** From the pool's mintA to its mintB, as its identity names them. */
  readonly aToB: boolean;
  readonly exact: 'in' | 'out';
  /** Raw units of the side that is exact. */
  readonly amount: bigint;
  /** Raw units of the other side: the least output of an exact input, the most input of an exact output. */
  readonly limit: bigint;
  /** Owner of both token accounts; signs. */
  readonly trader: string;
  readonly inputAccount: string;
  readonly outputAccount: string;
}

/** An instruction before it is part of a transaction. */
export interface SolanaCall {
  readonly program: string;
  readonly accounts: readonly SolanaCallAccount[];
  readonly data: Uint8Array;
}

export interface SolanaCallAccount {
  readonly address: string;
  readonly signs: boolean;
  readonly writable: boolean;
}
