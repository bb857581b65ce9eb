import type { Hex, IdFormat } from '#libs/core/ids.js';
import type { PoolKind, PriceRules } from '#libs/protocol/blocks.js';

export type ChainFamily = 'evm' | 'solana';

/** What every door needs to recognise a chain by any of its names, whether or not it is indexed here. */
export interface ChainIdentity {
  /** The one name that answers carry. */
  readonly slug: string;
  readonly aliases: readonly string[];
  /** Ids that the chain had before: accepted, never shown. */
  readonly formerIds?: readonly number[];
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
  /** `program`: a program of Solana, with rules of its own. */
  readonly protocol: 'v2' | 'v3' | 'program';
  readonly kind: PoolKind;
  /** The contract that makes the pools; on Solana the program that owns them. */
  readonly factory: Hex;
  /** What the swap router needs of it; null: indexed, never routed. */
  readonly contracts: VenueContracts | null;
}

/** The contracts of a venue as its operators publish them, and how to recognise that they are what they should be. */
export interface VenueContracts {
  /** Takes the swaps and is the spender of approvals. */
  readonly router: Hex;
  readonly routerAbi: 'v2-router02' | 'v3-swap-router02';
  /** Names of the router's getters that point at the factory and the wrapped coin. */
  readonly routerFactoryGetter: string;
  readonly routerWrappedNativeGetter: string;
  /** V2 only: what is left of an input after the fee, as the contract writes it (997 of 1000). */
  readonly fee?: { readonly numerator: number; readonly denominator: number };
  /** V3 only. */
  readonly quoter?: {
    readonly address: Hex;
    readonly abi: 'quoter-v2';
    readonly factoryGetter: string;
    readonly wrappedNativeGetter: string;
  };
  /** V3 only: fees of pools in parts per million that the factory must have enabled. */
  readonly feeTiers?: readonly number[];
  /** Pages that state the addresses. */
  readonly sources: readonly string[];
  /** Null where nobody has proven the code: it is served only when the operator pins a hash. */
  readonly code: Readonly<Record<'factory' | 'router' | 'wrappedNative', ExpectedCode | null>> & {
    readonly quoter?: ExpectedCode | null;
  };
}

/** Runtime code by its keccak-256 (lower-case hex without prefix), taken with the immutables' bytes set to zero. */
export interface ExpectedCode {
  readonly hash: Hex;
  /** Offset and length, in bytes, of each place of an immutable, and what belongs there. */
  readonly immutables: readonly (readonly [offset: number, length: number, holds: ImmutableValue])[];
  /** What carries the code: a package with its version, or the chain itself. */
  readonly source: string;
}

/** The venue's factory, the wrapped coin, the contract's own address, or something that no swap goes through. */
export type ImmutableValue = 'factory' | 'wrappedNative' | 'self' | 'unchecked';

/** How deep the unsealed tail may grow: sealed = max(the node's own finality, head − window). */
export interface FinalityRule {
  /** The node's own finality: the `finalized` tag, or a count of confirmations for chains without one. */
  readonly source: 'finalized-tag' | { readonly confirmations: number };
  readonly tailWindowSeconds: number;
}

/** What only an EVM chain has. */
export interface EvmSpec {
  readonly multicall3: Hex;
  /** How long the router holds a quote. */
  readonly quoteLifetimeMs: number;
  /** Tokens that routes usually go through, besides the wrapped coin; listed for people, not a limit of the search. */
  readonly intermediates: readonly Hex[];
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
  readonly evm?: EvmSpec;
}

/** The label an answer shows for a pool's venue; the venue id itself when the chain does not list it. */
export function venueLabel(chain: ChainSpec, venue: string): string {
  return chain.venues.find((candidate) => candidate.venue === venue)?.label ?? venue;
}
