import type { OnApplicationBootstrap, OnModuleDestroy, OnModuleInit, Type } from '@nestjs/common';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import { createListener, type HttpLogger, type Listener } from '#libs/serve/http/listener.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { apiErrorBody } from '../api-listener.js';
import type { ProxiedPlace } from '../api-parts.js';
import type { ChainGateway } from './chain-gateway.js';

/** Query names that may carry the key, in order; a header wins over all of them. */
const KEY_NAMES = ['apiKey', 'api_key', 'apikey', 'api-key'];

const NO_SOCKET = badRequest(
  'the gateway has no WebSocket: send JSON-RPC by POST; the live interface sends changes as they come',
);

/** The gateway's listener: open before the stages start and closed before they end. Nodes are asked once they are known. */
export class GatewayListener implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private listener: Listener | null = null;

  constructor(
    private readonly place: ProxiedPlace | null,
    private readonly chains: ReadonlyMap<string, ChainGateway>,
    private readonly endpoints: Pick<ChainEndpoints, 'of'>,
    private readonly accounts: Accounts | null,
    private readonly logger: HttpLogger,
    private readonly handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {}

  /** null: this instance has no gateway. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  status(): object[] {
    return [...this.chains.values()].map((chain) => chain.status());
  }

  async onModuleInit(): Promise<void> {
    const { place, accounts, logger } = this;
    if (place === null) return;
    this.listener = await createListener({
      routes: this.handlers.map(({ type, handler }) => routeOfHandler(type, handler)),
      ...{
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
