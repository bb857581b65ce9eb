import type { SolanaPoolVenue } from './pool-quotes.js';
import type { SolanaPoolRanges } from './pool-ranges.js';
import type { SolanaSwapInstructions } from './swap-instructions.js';
import type { SolanaLaunchpad, SolanaVenue } from './venue.js';

/**
 * All that one folder of libs/chain/venues gives, as the registry lists it. Invariant: every part is of the same program and
 * bears the folder's name.
 */
export interface SolanaVenueModule {
  /** Reads its swaps from transactions. */
  readonly decoder: SolanaVenue;
  /** Reads its pools from accounts and quotes them; null: they are known from their trades alone. */
  readonly pools: SolanaPoolVenue | null;
  /** Reads from accounts where the liquidity of its pools is; absent: it is in no ranges, or they are not read. */
  readonly ranges?: SolanaPoolRanges;
  /** Writes its swaps as instructions; null: market data alone, no route is built over it. */
  readonly instructions: SolanaSwapInstructions | null;
  /**
   * How the swap program calls its pools, the kind of its row there: `pool` or `curve` for the instructions of our own
   * programs, else the folder's name for those that `instructions` writes; absent: it cannot, and no route goes over them.
   */
  readonly swapKind?: string;
  /** Whether wallets pay fees outside its pools, so that the input of a trade, as the decoder has it, is less than what was paid. */
  readonly feesOutside?: boolean;
}

/** The same of a folder of libs/chain/launchpads. */
export interface SolanaLaunchpadModule extends SolanaVenueModule {
  readonly decoder: SolanaLaunchpad;
}
