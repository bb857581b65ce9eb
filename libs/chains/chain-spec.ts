import type { Hex, IdFormat } from '#libs/core/ids.js';
import type { PoolKind, PriceRules } from '#libs/protocol/blocks.js';

export type ChainFamily = 'evm' | 'solana';

/** What every door needs to recognise a chain by any of its names, whether or not it is indexed here. */
export interface ChainIdentity {
  /** The one name that answers carry. */
  readonly slug: string;
  readonly aliases: readonly string[];
  /** The number by which a caller may name the chain: the EVM chain id, 101 for Solana. */
  readonly networkId: number;
  /** EVM only. */
  readonly chainId: number | null;
  readonly family: ChainFamily;
  readonly name: string;
}

export interface TokenRef {
  readonly token: Hex;
  readonly symbol: string;
  readonly decimals: number;
}

/** One exchange protocol on one chain: which factories make its pools. */
export interface VenueSpec {
  /** Venue id inside the chain: PoolRecord.venue and the name of a folder of libs/venues. */
  readonly venue: string;
  /** Id across chains, `<chain>-<family>-<protocol>`. */
  readonly id: string;
  /** The `dex` of answers. */
  readonly label: string;
  /** Other spellings accepted on input; contains the id. */
  readonly aliases: readonly string[];
  readonly protocol: 'v2' | 'v3';
  readonly kind: PoolKind;
  readonly factory: Hex;
}

/** How deep the unsealed tail may grow: sealed = max(the node's own finality, head − window). */
export interface FinalityRule {
  /** The node's own finality: the `finalized` tag, or a count of confirmations for chains without one. */
  readonly source: 'finalized-tag' | { readonly confirmations: number };
  readonly tailWindowSeconds: number;
}

/**
 * A chain as a value: everything above the source depends on this and on the log, never on a chain's name. An EVM or
 * Solana specialist field lives in its own optional section.
 */
export interface ChainSpec extends ChainIdentity {
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly wrappedNative: TokenRef;
  readonly stables: readonly TokenRef[];
  readonly blockTimeMs: number;
  readonly finality: FinalityRule;
  readonly priceRules: PriceRules;
  readonly launchpads: readonly string[];
  readonly ids: IdFormat;
  readonly venues: readonly VenueSpec[];
  readonly evm?: { readonly multicall3: Hex };
}

/** The label an answer shows for a pool's venue; the venue id itself when the chain does not list it. */
export function venueLabel(chain: ChainSpec, venue: string): string {
  return chain.venues.find((candidate) => candidate.venue === venue)?.label ?? venue;
}
