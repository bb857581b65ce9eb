import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, LOGGER } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { createListener, type HttpLogger, type Listener } from '#libs/serve/http/listener.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import type { ProxiedPlace } from '../access/api-parts.js';
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
export class GatewayListener implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private listener: Listener | null = null;

  constructor(
    @Inject(GATEWAY_PLACE) private readonly place: ProxiedPlace | null,
    @Inject(GATEWAY_ROUTES) private readonly routes: readonly HttpRoute[],
    @Inject(CHAIN_GATEWAYS) private readonly chains: ReadonlyMap<string, ChainGateway>,
    @Inject(CHAIN_ENDPOINTS) private readonly endpoints: Pick<ChainEndpoints, 'of'>,
    @Inject(ACCOUNTS) private readonly accounts: Accounts | null,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {}

  /** null: this instance has no gateway. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  status(): object[] {
    return [...this.chains.values()].map((chain) => chain.status());
  }

  async onModuleInit(): Promise<void> {
    const { place, routes, accounts, logger } = this;
    if (place === null) return;
    this.listener = await createListener({
      ...{
        routes,
        upgradeRefusal: NO_SOCKET,
        errorBody: apiErrorBody,
        accounts,
        scope: 'gateway',
        keyNames: KEY_NAMES,
        trustProxy: place.trustProxy,
        logger,
      },
      ...{ host: place.bind, port: place.port },
    }).catch((error: unknown) => {
      throw place.explain === undefined ? error : place.explain(error);
    });
  }

  onApplicationBootstrap(): void {
    if (this.place === null) return;
    for (const [slug, chain] of this.chains) {
      void this.endpoints.of(slug).then(({ rpcUrls }) => chain.serve(rpcUrls));
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
    await Promise.all([...this.chains.values()].map((chain) => chain.close()));
  }
}
