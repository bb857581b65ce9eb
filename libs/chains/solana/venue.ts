import type { SolanaTransaction } from './transaction.js';

/** One swap of one pool, as a venue reads it from its own instruction. Keys are base58 texts. */
export interface SolanaLeg {
  readonly pool: string;
  /** Who moved the input: the trader, or the account that a router holds it in. Empty when the venue cannot say. */
  readonly authority: string;
  readonly inputMint: string;
  readonly inputAmount: bigint;
  readonly outputMint: string;
  readonly outputAmount: bigint;
}

/** What a folder of libs/venues or libs/launchpads exports for a Solana program. */
export interface SolanaVenue {
  /** Folder name. */
  readonly venue: string;
  /** Label shown as `dex`. */
  readonly dex: string;
  /** Base58 address. */
  readonly program: string;
  /**
   * Swaps of the program's instruction at that position: usually one, several for instructions that cross pools, none
   * for whatever is no swap. Never throws.
   */
  legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[];
}

export const NO_LEGS: readonly SolanaLeg[] = [];
