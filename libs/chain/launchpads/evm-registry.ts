// Room: one folder a launchpad: decoding of its launches and curves, building of its creations. May import core,
// protocol, chain/amm, chain/chains, chain/market-ports.

import type { EvmLaunchpad } from '#libs/chain/market-ports/evm/evm-launchpad.js';
import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { TidepoolError } from '#libs/core/errors.js';
import { clanker } from './clanker/launchpad.js';
import { fourMeme } from './four-meme/launchpad.js';
import { tidepoolEvm } from './tidepool-evm/launchpad.js';
import { zora } from './zora/launchpad.js';

/** One line a launchpad. */
export const evmLaunchpads: ReadonlyMap<string, EvmLaunchpad> = registerLaunchpads([
  tidepoolEvm,
  fourMeme,
  clanker,
  zora,
]);

/** Their curves, by the name that they have as a venue. */
export const evmCurves: ReadonlyMap<string, EvmVenueModule> = new Map(
  [...evmLaunchpads.values()].flatMap(({ curves }) => (curves === undefined ? [] : [[curves.venue, curves]])),
);

/** A name twice stops the boot. */
export function registerLaunchpads(launchpads: readonly EvmLaunchpad[]): ReadonlyMap<string, EvmLaunchpad> {
  const byName = new Map(launchpads.map((launchpad) => [launchpad.launchpad, launchpad]));
  if (byName.size === launchpads.length) return byName;
  const twice = launchpads.find((launchpad) => byName.get(launchpad.launchpad) !== launchpad)!;
  throw new TidepoolError('duplicate_launchpad', `launchpad ${twice.launchpad} registered twice`);
}
