import type { VenueKind } from './swap-client.js';

/**
 * Compute units that a route is counted with before it is simulated. Invariant: never fewer than its programs use, as test/genuine
 * and compute-units.spec measure; docs/programs.md shows them. Where there is no executable to measure (LaunchLab), more than the
 * most of any other kind without ticks.
 */
export interface HopUnits {
  /** Of a hop with what the swap program does around it. */
  readonly swap: number;
  /** For each tick or bin that the swap goes over. */
  readonly step: number;
}

export const HOP_UNITS: Readonly<Record<VenueKind, HopUnits>> = {
  pool: { swap: 7_500, step: 0 },
  curve: { swap: 12_000, step: 0 },
  'raydium-cpmm': { swap: 55_000, step: 0 },
  'meteora-damm-v2': { swap: 55_000, step: 0 },
  'raydium-v4': { swap: 35_000, step: 0 },
  'meteora-dbc': { swap: 110_000, step: 0 },
  'orca-whirlpool': { swap: 90_000, step: 10_000 },
  'raydium-clmm': { swap: 110_000, step: 18_000 },
  'meteora-dlmm': { swap: 120_000, step: 8_000 },
  pumpswap: { swap: 95_000, step: 0 },
  'pump-fun': { swap: 150_000, step: 0 },
  'raydium-launchlab': { swap: 200_000, step: 0 },
};

/** Of one transaction. */
export const MAX_UNITS = 1_400_000;
/** A route of any shape, its fee and the temporary account of wrapped coins with them. */
export const ROUTE_UNITS = 25_000;
/** A token account that a wallet has to be given first, of either token program. */
export const ACCOUNT_UNITS = 40_000;
