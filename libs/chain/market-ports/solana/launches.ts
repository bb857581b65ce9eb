import { addressId } from '#libs/chain/chains/solana/address-ids.js';
import type { TokenTexts } from '#libs/chain/chains/solana/token/token-metadata.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { Hex } from '#libs/core/ids.js';
import type { SolanaLaunch, SolanaLaunchpad, SolanaVenue } from './venue.js';

/** A step in a token's launch, with ids instead of texts. */
export interface SolanaLaunchStep {
  /** Name in the one list of launchpads. */
  readonly launchpad: string;
  readonly step: SolanaLaunch['step'];
  readonly token: Hex;
  readonly curve: Hex;
  /** Creation: the creator. Graduation: the pool it trades in from then on, where the transaction names it. Else null. */
  readonly party: Hex | null;
  readonly progressPpm: number;
  /** Of a creation on a launchpad that keeps them itself. */
  readonly texts?: TokenTexts;
}

/** Launchpads by program. */
export type SolanaLaunchpads = ReadonlyMap<string, SolanaLaunchpad>;

export const launchpadsByProgram = (venues: readonly SolanaVenue[]): SolanaLaunchpads =>
  new Map(venues.filter(isLaunchpad).map((launchpad) => [launchpad.program, launchpad]));

export const isLaunchpad = (venue: SolanaVenue): venue is SolanaLaunchpad => 'launches' in venue;

const ALL_PPM = 1_000_000;
const NONE: readonly SolanaLaunchStep[] = [];

/** Steps of launches in a transaction, in execution order; a failed transaction took none. Never throws. */
export function launchesOf(tx: SolanaTransaction, launchpads: SolanaLaunchpads): readonly SolanaLaunchStep[] {
  if (tx.failed) return NONE;
  let steps = NONE;
  const { instructions } = tx;
  for (let index = 0; index < instructions.length; index++) {
    const launchpad = launchpads.get(instructions[index]!.program);
    if (launchpad === undefined) continue;
    for (const launch of launchpad.launches(tx, index)) {
      const step = toStep(launchpad.launchpad, launch);
      if (step !== null) steps = [...steps, step];
    }
  }
  return steps;
}

function toStep(launchpad: string, launch: SolanaLaunch): SolanaLaunchStep | null {
  const token = addressId(launch.token);
  const curve = addressId(launch.curve);
  if (token === null || curve === null) return null;
  const of = { launchpad, step: launch.step, token, curve };
  switch (launch.step) {
    case 'created':
      return {
        ...{ ...of, party: addressId(launch.creator), progressPpm: 0 },
        ...(launch.texts !== undefined && { texts: launch.texts }),
      };
    case 'progress':
      return { ...of, party: null, progressPpm: launch.progressPpm };
    case 'graduated':
      return { ...of, party: addressId(launch.pool), progressPpm: ALL_PPM };
  }
}
