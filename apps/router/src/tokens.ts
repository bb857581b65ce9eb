/** What routes of the router inject by token, because it is an interface or a value. */
export const EVM_CHAINS = Symbol('EVM chains of the router');
/** Solana, served or not. */
export const SOLANA_CHAIN = Symbol('Solana of the router');
export const HELD_QUOTES = Symbol('held quotes');
/** What builds promised, and what the chain gave. */
export const RECEIPTS = Symbol('receipts of the router');
export const ROUTER_LOGGER = Symbol('log of the router');
/** What creates of tokens are made with. */
export const LAUNCH = Symbol('launches of the router');
/** Where the router's own listener is reached. */
export const OWN_ADDRESS = Symbol('address of the router');
/** Unix ms. */
export const NOW = Symbol('clock of the router');
export const VERSION = Symbol('version of the program');
/** When a request is cut. */
export const REQUEST_DEADLINE = Symbol('time limit of a request');
/** The declarations of every route, for the route that shows them. */
export const DECLARED_ROUTES = Symbol('declared routes of the router');
