import type { Hex, IdFormat } from '#libs/core/ids.js';
import type { PriceRules } from '#libs/protocol/blocks.js';
import type { ExpectedCode } from './evm/expected-code.js';

export type ChainFamily = 'evm' | 'solana';

/** What every interface needs to recognise a chain by any of its names, whether or not it is indexed here. */
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

interface TokenRef {
  readonly token: Hex;
  readonly symbol: string;
  readonly decimals: number;
}

/** Where the contracts of one exchange protocol are on a chain. What they do is in the venue's folder. */
export interface VenueAddresses {
  /** Name of a folder of libs/chain/venues. */
  readonly venue: string;
  /** The contract that makes its pools, or that holds all of them. */
  readonly factory: Hex;
  /** Its other contracts, by the names that the venue gives them (`router`, `quoter`). */
  readonly contracts?: Readonly<Record<string, Hex>>;
  /** Pages that state the addresses. */
  readonly sources: readonly string[];
}

/** Where the contracts of one launchpad are on a chain. */
export interface LaunchpadAddresses {
  /** Name in the one list of launchpads. */
  readonly launchpad: string;
  /** Its contracts, by the names that the launchpad gives them. */
  readonly contracts: Readonly<Record<string, Hex>>;
  /** Pages that state the addresses. */
  readonly sources: readonly string[];
}

/** Wallets of one exchange, as explorers label them. */
interface ExchangeWallets {
  readonly name: string;
  readonly wallets: readonly Hex[];
  /** Pages that state the addresses. */
  readonly sources: readonly string[];
}

/** How deep the unsealed tail may grow: sealed = max(the node's own finality, head − window). */
export interface FinalityRule {
  /** The node's own finality: the `finalized` tag, or a count of confirmations for chains without one. */
  readonly source: 'finalized-tag' | { readonly confirmations: number };
  readonly tailWindowSeconds: number;
}

/**
 * How far blocks of a chain prove themselves. `blooms`: the header's bloom is that of the block's logs; `header hashes`: a
 * header hashes to the block's hash by Ethereum's rules. Where one of them does not hold, receipts of samples are all.
 */
type BlockProperty = 'blooms' | 'header hashes';

/** What only an EVM chain has. */
interface EvmSpec {
  /** Absent: all of them hold, as on most chains. */
  readonly proves?: readonly BlockProperty[];
  readonly multicall3: Hex;
  /** How long the router holds a quote. */
  readonly quoteLifetimeMs: number;
  /** Tokens that routes usually go through, besides the wrapped coin; listed for people, not a limit of the search. */
  readonly intermediates: readonly Hex[];
  /** Code of the wrapped coin's contract. */
  readonly wrappedNativeCode: ExpectedCode | null;
}

/**
 * What a chain's folder says: facts of the chain and addresses, nothing about what is at them. An EVM or Solana specialist
 * field is in its own optional section.
 */
export interface ChainManifest extends ChainIdentity {
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly wrappedNative: TokenRef;
  readonly stables: readonly TokenRef[];
  readonly blockTimeMs: number;
  readonly finality: FinalityRule;
  readonly priceRules: PriceRules;
  readonly ids: IdFormat;
  /** EVM only: a program of Solana has one address, which its own folder states. */
  readonly venues: readonly VenueAddresses[];
  /** EVM only, as the venues. */
  readonly launchpads: readonly LaunchpadAddresses[];
  readonly evm?: EvmSpec;
  /** Wallets that exchanges hold for their customers. */
  readonly exchanges?: readonly ExchangeWallets[];
}
