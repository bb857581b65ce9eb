import type { Provider } from '@nestjs/common';
import type { ChainEndpoint } from '#libs/app/modules/chain-endpoints.js';
import { Resources } from '#libs/app/modules/resources.js';
import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import { listenError } from '#libs/platform/listen-error.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HostDeps } from '../hosts/host-listener.js';
import { SolanaRow } from '../solana/solana-row.js';
import { BundleRelay } from './bundle-relay.js';
import { RELAY_DEPS, RelayModule } from './relay.module.js';
import { readKeyFile, TipSponsor } from './tip-sponsor.js';

const deps: Provider<HostDeps> = {
  provide: RELAY_DEPS,
  inject: [Runtime, ACCOUNTS],
  useFactory: ({ config, logger, version }: Runtime, accounts: Accounts | null): HostDeps => {
    const { host: bind, port } = config.listeners.relay;
    const explain = (error: unknown) => listenError(error, config.listeners.relay);
    return { place: { bind, port, explain }, trustProxy: config.trustProxy, accounts, logger, version };
  },
};

const relay: Provider = {
  provide: BundleRelay,
  inject: [Runtime, SolanaRow, Resources],
  useFactory: ({ config, logger }: Runtime, { spec }: SolanaRow, resources: Resources) =>
    resources.opened('bundle relay', new BundleRelay(spec.slug, config.relay.tipLamports, logger), (opened) =>
      opened.close(),
    ),
};

/** The relay of a process. */
export const relayOfProcess = () => RelayModule.from(deps, relay);

/** Opens the relay once the node is known: a configured block engine, or the local chain itself. */
export function openRelay(
  into: BundleRelay,
  settings: Runtime['config']['relay'],
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
