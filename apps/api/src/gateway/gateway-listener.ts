import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, LOGGER } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger, Listener } from '#libs/serve/http/listener.js';
import { type ListenerPlace, ModuleListener, openListener } from '#libs/serve/http/listener-place.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { apiErrorBody } from '../api-listener.js';
import type { ChainGateway } from './chain-gateway.js';
import { CHAIN_GATEWAYS, GATEWAY_PLACE, GATEWAY_ROUTES } from './gateway-parts.js';

/** Query names that may carry the key, in order; a header wins over all of them. */
const KEY_NAMES = ['apiKey', 'api_key', 'apikey', 'api-key'];

const NO_SOCKET = badRequest(
  'the gateway has no WebSocket: send JSON-RPC by POST; the live interface sends changes as they come',
);

/** The gateway's listener: open before the stages start and closed before they end. Nodes are asked once they are known. */
@Injectable()
export class GatewayListener extends ModuleListener implements OnApplicationBootstrap {
  constructor(
    @Inject(GATEWAY_PLACE) private readonly place: ListenerPlace | null,
    @Inject(GATEWAY_ROUTES) private readonly routes: readonly HttpRoute[],
    @Inject(CHAIN_GATEWAYS) private readonly chains: ReadonlyMap<string, ChainGateway>,
    @Inject(CHAIN_ENDPOINTS) private readonly endpoints: Pick<ChainEndpoints, 'of'>,
    @Inject(ACCOUNTS) private readonly accounts: Accounts | null,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {
    super();
  }

  status(): object[] {
    return [...this.chains.values()].map((chain) => chain.status());
  }

  onApplicationBootstrap(): void {
    if (this.place === null) return;
    for (const [slug, chain] of this.chains) {
      void this.endpoints.of(slug).then(({ rpcUrls }) => chain.serve(rpcUrls));
    }
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await Promise.all([...this.chains.values()].map((chain) => chain.close()));
  }

  protected async open(): Promise<Listener | null> {
    const { place, routes, accounts, logger } = this;
    if (place === null) return null;
    return openListener(place, {
      ...{ routes, upgradeRefusal: NO_SOCKET, errorBody: apiErrorBody },
      ...{ accounts, scope: 'gateway', keyNames: KEY_NAMES, logger },
    });
  }
}
