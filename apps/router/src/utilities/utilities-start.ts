import type { DynamicModule, Provider } from '@nestjs/common';
import { Resources } from '#libs/app/modules/resources.js';
import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { listenError } from '#libs/platform/listen-error.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HostDeps } from '../hosts/host-listener.js';
import { BundleRelay } from '../relay/bundle-relay.js';
import { SolanaRow } from '../solana/solana-row.js';
import { SolanaUtilities } from './solana-utilities.js';
import { UTILITIES_DEPS, UtilitiesModule } from './utilities.module.js';

const deps: Provider<HostDeps> = {
  provide: UTILITIES_DEPS,
  inject: [Runtime, ACCOUNTS],
  useFactory: ({ config, logger, version }: Runtime, accounts: Accounts | null): HostDeps => {
    const { host: bind, port } = config.listeners.sol;
    const explain = (error: unknown) => listenError(error, config.listeners.sol);
    return { place: { bind, port, explain }, trustProxy: config.trustProxy, accounts, logger, version };
  },
};

const utilities: Provider = {
  provide: SolanaUtilities,
  inject: [Runtime, SolanaRow, BundleRelay, Resources],
  useFactory: ({ config, logger }: Runtime, row: SolanaRow, relay: BundleRelay, resources: Resources) => {
    const { consolidateFeeWallet: wallet } = config;
    const made = new SolanaUtilities(row, relay, wallet === null ? null : solanaIds.parseAddress(wallet), logger);
    return resources.opened('Solana utilities', made, (opened) => opened.close());
  },
};

/** The utilities of a process; `relay` has the block engine that their tips go to. */
export const utilitiesOfProcess = (relay: DynamicModule) => UtilitiesModule.from(deps, utilities, [relay]);
