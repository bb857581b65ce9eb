// Room: the ports that venues and launchpads implement, for EVM and for Solana. May import core, protocol, chain/amm,
// chain/chains.

import type { ChainManifest } from '#libs/chain/chains/chain-manifest.js';
import type { ExpectedCode } from '#libs/chain/chains/evm/expected-code.js';
import type { Hex } from '#libs/core/ids.js';
import type { VenueRouting } from './evm/venue-routing.js';

/**
 * A chain as a value, joined with what its venues and launchpads say of themselves (libs/chain/catalogue makes it): everything
 * above the source depends on this and on the log, never on a chain's or a venue's name.
 */
export interface ChainSpec extends Omit<ChainManifest, 'venues' | 'launchpads'> {
  readonly venues: readonly VenueSpec[];
  /** Names of the launchpads whose launches it shows. */
  readonly launchpads: readonly string[];
  /** Hook contracts of registered launchpads, each with the keccak-256 that its code must have to be trusted. */
  readonly pinnedHooks: readonly PinnedContract[];
  /** EVM only: contracts whose events announce launches, by what their launchpad calls them. */
  readonly launchContracts: readonly LaunchContract[];
}

interface LaunchContract {
  readonly launchpad: string;
  readonly role: string;
  readonly address: Hex;
}

export interface PinnedContract {
  readonly address: Hex;
  readonly codeHash: Hex;
}

/** One exchange protocol on one chain. */
export interface VenueSpec {
  /** Venue id inside the chain: PoolRecord.venue and the name of a folder of libs/chain/venues. */
  readonly venue: string;
  /** Id across chains, `<chain>-<venue>`. */
  readonly id: string;
  /** The `dex` of answers. */
  readonly label: string;
  /** Other spellings accepted on input; contains the id. */
  readonly aliases: readonly string[];
  /** `program`: a program of Solana, with rules of its own. */
  readonly protocol: string;
  /** The contract that makes the pools or holds them all; on Solana the program that owns them. */
  readonly factory: Hex;
  /** Its other contracts on this chain, by the names that the venue gives them. */
  readonly addresses: Readonly<Record<string, Hex>>;
  /** What the swap router needs of it; null: indexed, never routed. */
  readonly contracts: VenueContracts | null;
}

/** The contracts of a venue as its operators publish them, and how to recognise that they are what they should be. */
export interface VenueContracts extends Omit<VenueRouting, 'quoter' | 'code' | 'observed'> {
  /** Takes the swaps and is the spender of approvals. */
  readonly router: Hex;
  readonly quoter?: NonNullable<VenueRouting['quoter']> & { readonly address: Hex };
  /** Pages that state the addresses. */
  readonly sources: readonly string[];
  /** Null where the code is not proven: it is served only when the operator pins a hash. */
  readonly code: VenueRouting['code'] & { readonly wrappedNative: ExpectedCode | null };
}

export type RoutedVenue = VenueSpec & { readonly contracts: VenueContracts };

/** The venues that the swap router builds for, in the order of the chain. */
export const routedVenues = ({ venues }: ChainSpec): RoutedVenue[] =>
  venues.filter((venue): venue is RoutedVenue => venue.contracts !== null);

/** The label an answer shows for a pool's venue; the venue id itself when the chain does not list it. */
export function venueLabel(chain: ChainSpec, venue: string): string {
  return chain.venues.find((candidate) => candidate.venue === venue)?.label ?? venue;
}
