import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import type { TokenRights } from '#libs/pipeline/projections/token-rights/projection.js';
import type { TokenStandard } from '#libs/pipeline/projections/token-standards/projection.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { TokenAbout } from '#libs/serve/reader/token-about.js';

/** What is known of a token, as DAS shows it. */
export interface AssetState {
  readonly token: Hex;
  readonly record: TokenRecord | null;
  readonly priceUsd: E36 | null;
  /** Raw units; null where not all of its transfers are in view and the chain stated none. */
  readonly supply: bigint | null;
  readonly creator: Hex | null;
  /** null: nothing was said of them, as on EVM chains. */
  readonly rights: TokenRights | null;
  /** The same. */
  readonly standard: TokenStandard | null;
  readonly about: TokenAbout;
}

/** What its owner holds of it, in raw units. */
export interface OwnedAmount {
  readonly owner: Hex;
  readonly amount: bigint;
  readonly value: E18 | null;
}
