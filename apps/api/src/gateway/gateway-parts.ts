import type { ChainGatewayOptions } from './chain-gateway.js';

/*
 * What the parts of the JSON-RPC gateway inject by token, in addition to ACCOUNTS, CHAIN_ENDPOINTS, LOGGER and VERSION of every app.
 * The first three come from outside of its module.
 */

/** Where it listens; null: this instance has no gateway. */
export const GATEWAY_PLACE = Symbol('place of the gateway');
/** The chains that are served, in the order of the configuration. */
export const GATEWAY_CHAINS = Symbol('chains of the gateway');
/** How long it waits for nodes; optional. */
export const GATEWAY_PACE = Symbol('pace of the gateway');
/** By slug, as ChainGateway: each chain with its nodes. */
export const CHAIN_GATEWAYS = Symbol('chains behind the gateway');
export const GATEWAY_ROUTES = Symbol('routes of the gateway');
/** The declarations of its routes, for the route that shows them. */
export const DECLARED_GATEWAY_ROUTES = Symbol('declared routes of the gateway');

export type GatewayPace = Pick<ChainGatewayOptions, 'headsFreshMs' | 'headsWaitMs' | 'deadlineMs'>;
