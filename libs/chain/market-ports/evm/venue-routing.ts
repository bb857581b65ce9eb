import type { ExpectedCode } from '#libs/chain/chains/evm/expected-code.js';
import type { SwapRouting } from './swap-routing.js';

/**
 * What the swap router knows of a venue in addition to its addresses: `libs/chain/venues/<venue>/routing.ts`. The catalogue joins it
 * with the chain's addresses.
 */
export interface VenueRouting {
  /** How its swaps are priced by the chain, made and read. */
  readonly swaps: SwapRouting;
  readonly routerAbi: 'v2-router02' | 'v3-swap-router02';
  /** Names of the router's getters that point at the factory and the wrapped coin. */
  readonly routerFactoryGetter: string;
  readonly routerWrappedNativeGetter: string;
  /** V2 only: what is left of an input after the fee, as the contract writes it (997 of 1000). */
  readonly fee?: { readonly numerator: number; readonly denominator: number };
  /** V3 only. */
  readonly quoter?: {
    readonly abi: 'quoter-v2';
    readonly factoryGetter: string;
    readonly wrappedNativeGetter: string;
  };
  /** V3 only: fees of pools in parts per million that the factory must have enabled. */
  readonly feeTiers?: readonly number[];
  /** Null where the code is not proven: it is served only when the operator pins a hash. */
  readonly code: Readonly<Record<'factory' | 'router', ExpectedCode | null>> & {
    readonly quoter?: ExpectedCode | null;
  };
  /** Other builds that are known to be at an address, by that address. */
  readonly observed?: Readonly<Record<string, ExpectedCode>>;
}
