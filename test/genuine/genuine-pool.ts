import type { ChainMoment, SolanaAccount } from '#libs/chains/solana/accounts.js';
import type { SolanaVenueModule } from '#libs/market-ports/solana/module.js';

/** A pool that a deployed program takes, with all accounts that it reads. */
export interface GenuinePool {
  readonly module: SolanaVenueModule;
  readonly address: string;
  /** Null: there is none, whatever was there before. */
  readonly accounts: Map<string, SolanaAccount | null>;
  readonly mints: readonly [string, string];
  readonly vaults: readonly [string, string];
  /** Token programs of the two mints. */
  readonly programs: readonly [string, string];
  /** Owner of the vaults. */
  readonly authority: string;
  readonly at: ChainMoment;
  /** About the most that is worth trying on each side. */
  readonly sizes: readonly [bigint, bigint];
  /** Amounts that are tried more often than others of their size. */
  readonly edges?: readonly bigint[];
}
