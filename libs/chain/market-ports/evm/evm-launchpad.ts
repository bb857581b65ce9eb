import type { Hex } from '#libs/core/ids.js';
import type { EvmVenueModule } from './evm-venue.js';
import type { LaunchSteps } from './launch-steps.js';

/** A launchpad of EVM chains: tokens start on its curves, or in pools that it makes on a venue. Its addresses come from the chain. */
export interface EvmLaunchpad {
  /** Name in the one list of launchpads. */
  readonly launchpad: string;
  /**
   * Keccak-256 of the code of its hook contracts on Uniswap V4, by the name that the chain gives their addresses: their
   * pools set prices although such hooks can change amounts.
   */
  readonly hooks: Readonly<Record<string, Hex>>;
  /** Its own curves as pools; the chain's address `factory` is the contract that makes them. Absent where it has none. */
  readonly curves?: EvmVenueModule;
  /** What its contracts announce in addition to the events of curves. */
  readonly steps?: LaunchSteps;
}
