import type { ChainEndpoint } from '#libs/app/modules/chain-endpoints.js';
import type { Config } from '#libs/platform/config.js';
import type { BundleRelay } from './bundle-relay.js';
import { readKeyFile, TipSponsor } from './tip-sponsor.js';

/** Opens the relay once the node is known: it sends bundles to the configured block engine, or else to the local chain. */
export function openRelay(
  into: BundleRelay,
  settings: Config['relay'],
  { rpcUrls, bundles }: Pick<ChainEndpoint, 'rpcUrls' | 'bundles'>,
): void {
  const { upstream, tipKeyFile } = settings;
  const secret = tipKeyFile === null ? null : readKeyFile(tipKeyFile, 'TIDEPOOL_RELAY_TIP_KEY_FILE');
  if (upstream !== null) {
    into.open({ upstream, rpcUrls, sponsor: secret === null ? null : new TipSponsor(secret) });
  } else if (bundles !== undefined) {
    into.open({ upstream: bundles.url, rpcUrls, sponsor: new TipSponsor(secret ?? bundles.tipKey) });
  }
}
