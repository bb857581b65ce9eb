/** What the router's modules inject by token, because it is an interface or a value. One module provides each of them. */
export const EVM_CHAINS = Symbol('EVM chains of the router');
/** Solana, with or without a node. */
export const SOLANA_CHAIN = Symbol('Solana of the router');
/** Quotes that wait for their build. */
export const HELD_QUOTES = Symbol('held quotes');
/** The keeper of what builds promised and what the chain gave. */
export const RECEIPTS = Symbol('receipts of the router');
/** What creates of tokens are made with. */
export const LAUNCH = Symbol('launches of the router');
/** Where each of the three listeners opens. */
export const ROUTER_PLACE = Symbol('place of the router');
export const RELAY_PLACE = Symbol('place of the bundle relay');
export const UTILITIES_PLACE = Symbol('place of the Solana utilities');
/** Measures the time of a request. */
export const REQUEST_CLOCK = Symbol('clock of requests');
/** Cuts a request whose time is over. */
export const REQUEST_DEADLINE = Symbol('time limit of a request');
/** The declarations of every route, for the route that shows them. */
export const DECLARED_ROUTES = Symbol('declared routes of the router');
/** What simulations of the indexer found of tokens: SafetyBook. */
export const TOKEN_SAFETIES = Symbol('safeties of tokens');
