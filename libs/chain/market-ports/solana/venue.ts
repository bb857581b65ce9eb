import type { Ratio } from '#libs/chain/amm/ratio.js';
import type { TokenTexts } from '#libs/chain/chains/solana/token/token-metadata.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { PoolKind } from '#libs/protocol/blocks.js';
import type { SolanaPositionChange } from './positions.js';

/** One swap of one pool, as a venue reads it from its own instruction. Keys are base58 texts. */
export interface SolanaLeg {
  readonly pool: string;
  /** Who moved the input: the trader, or the account that a router holds it in. Empty when the venue cannot say. */
  readonly authority: string;
  readonly inputMint: string;
  readonly inputAmount: bigint;
  readonly outputMint: string;
  readonly outputAmount: bigint;
  /** What the venue itself said about the pool after this leg; absent where it says nothing. */
  readonly stated?: StatedPool;
}

/** Both are optional: a pool's balances are also seen in those of its vaults after the transaction. */
export interface StatedPool {
  /** Spot after the leg, before fees: raw units of the leg's output for one raw unit of its input. */
  readonly spot?: Ratio;
  /** Real reserves after the leg (of a bonding curve: without the virtual part), fees that others own left out. */
  readonly reserves?: { readonly input: bigint; readonly output: bigint };
  /** The two token accounts that hold the reserves, as the transaction names them; in no particular order. */
  readonly vaults?: readonly [string, string];
  /**
   * Active bin after the leg, of venues with bins: with the pool's bin step (its spacing) `binPrice` of `libs/chain/amm` turns
   * it into raw units of the identity's mintB (token Y) for one raw unit of its mintA (token X), whichever way the leg went.
   */
  readonly bin?: number;
  /** With `bin`: whether token X is the leg's input. */
  readonly binOfInput?: boolean;
}

/** What a folder of libs/chain/venues or libs/chain/launchpads exports for a Solana program. */
export interface SolanaVenue {
  /** Folder name. */
  readonly venue: string;
  /** Label shown as `dex`. */
  readonly dex: string;
  /** What the spot of its pools follows from. */
  readonly kind: PoolKind;
  /** Base58 address. */
  readonly program: string;
  /**
   * Swaps of the program's instruction at that position: usually one, several for instructions that cross pools, none
   * for whatever is no swap. Never throws.
   */
  legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[];
  /**
   * What the program's instruction at that position did to the liquidity of its pools, swaps apart; absent: their liquidity is
   * in no ranges, or what changes it is not read. Never throws.
   */
  positions?(tx: SolanaTransaction, index: number): readonly SolanaPositionChange[];
}

/** A program on which tokens start: its curves are pools of the kind `curve`. */
export interface SolanaLaunchpad extends SolanaVenue {
  /** Name in the one list of launchpads (`pumpfun`, `raydium-launchlab`, ...). */
  readonly launchpad: string;
  /** Steps in a token's launch that the instruction at that position took. Never throws. */
  launches(tx: SolanaTransaction, index: number): readonly SolanaLaunch[];
}

export type SolanaLaunch =
  | {
      readonly step: 'created';
      readonly token: string;
      readonly curve: string;
      readonly creator: string;
      /** Of a launchpad that keeps them itself: they count where the token has no metadata of its own. */
      readonly texts?: TokenTexts;
    }
  /** `progressPpm`: how far the curve is towards graduation after the step, in parts per million, at most 1,000,000. */
  | { readonly step: 'progress'; readonly token: string; readonly curve: string; readonly progressPpm: number }
  /** `pool`: where the token trades from now on; empty while the transaction does not name it. */
  | { readonly step: 'graduated'; readonly token: string; readonly curve: string; readonly pool: string };

export const NO_LAUNCHES: readonly SolanaLaunch[] = [];
export const NO_LEGS: readonly SolanaLeg[] = [];
