import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import type { RealCurve } from '#libs/chain/amm/real-curve.js';
import type { ChainMoment, KnownAccounts } from '#libs/chain/chains/solana/accounts.js';

/**
 * What a Solana venue's folder exports for exact quotes: how a pool is read from its accounts, and what it gives.
 * Invariant: every amount is what the program itself would move at that slot, to the unit; bigint alone decides. Amounts
 * are those that reach and leave the pool's vaults: what a mint withholds from a transfer is not the pool's business.
 */
export interface SolanaPoolVenue {
  /** Folder name. */
  readonly venue: string;
  /** Base58 address of the program that owns the pools. */
  readonly program: string;
  /** What never changes about a pool, from the data of its account; null when they are no pool of this venue. */
  identity(data: Uint8Array): SolanaPoolIdentity | null;
  /**
   * Addresses of the accounts that a quote needs in addition to the pool's own, given those known so far. It is called
   * again with the answers until it names nothing new. An account that does not exist is known as null. `mints` are those
   * that the pool's trades were in: for a venue whose accounts do not name them, and which then tells whether they are its own.
   */
  needs(pool: string, known: KnownAccounts, mints?: readonly string[]): readonly string[];
  /** The pool at that moment; null when an account is missing, does not parse, or the pool does not trade. */
  read(pool: string, known: KnownAccounts, at: ChainMoment, mints?: readonly string[]): SolanaPoolState | null;
}

/** Base58 mints and vaults in the program's own order. */
export interface SolanaPoolIdentity {
  readonly mintA: string;
  readonly mintB: string;
  /** Token accounts that hold the pool's reserves; empty for reserves that are lamports of the pool itself. */
  readonly vaultA: string;
  readonly vaultB: string;
  /** Base fee in parts per million; 0 where it is no constant of the pool. */
  readonly feePpm: number;
  /** Tick spacing or bin step; 0 where the venue has none. */
  readonly spacing: number;
}

export interface SolanaPoolState {
  /** Reserves that traders own, fees that others may collect left out. */
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  /** Raw units of B for one raw unit of A before fees, as a fraction. */
  readonly spot: Ratio;
  /** Whether the fee may take a larger share of a larger input, so that it may give less; absent: it does not. */
  readonly feeGrows?: boolean;
  /** Null when the pool does not take the input whole, apart from what its rounding leaves, or gives nothing for it. */
  exactIn(aToB: boolean, amountIn: bigint): CurveSwap | null;
  /** The least input that gives at least this output; null when no input does. */
  exactOut(aToB: boolean, amountOut: bigint): CurveSwap | null;
  /** The swaps of one direction in real numbers, close to the exact ones and never worse; null or absent where there is none. */
  curve?(aToB: boolean): RealCurve | null;
}
