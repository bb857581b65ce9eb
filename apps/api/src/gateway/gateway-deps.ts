import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ListenPlace } from '../access/api-deps.js';
import type { ChainGatewayOptions } from './chain-gateway.js';

/** What the JSON-RPC gateway is composed from. */
export interface GatewayDeps {
  /** Where it listens; null: this instance has no gateway. */
  readonly place: ListenPlace | null;
  readonly trustProxy?: boolean | number | string[];
  /** The chains that are served, in the order of the configuration. */
  readonly chains: readonly ChainSpec[];
  readonly endpoints: Pick<ChainEndpoints, 'of'>;
  readonly accounts: Accounts | null;
  readonly logger: HttpLogger;
  readonly version: string;
  readonly pace?: Pick<ChainGatewayOptions, 'headsFreshMs' | 'headsWaitMs' | 'deadlineMs'>;
}

export const GATEWAY_DEPS = Symbol('what the gateway is composed from');
/** The declarations of its routes, for the route that shows them. */
export const GATEWAY_ROUTES = Symbol('declared routes of the gateway');
