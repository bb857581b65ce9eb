// Room: the Nest modules that apps share: log, tables, nodes, accounts, stages, resources, admin listener. May import
// core, protocol, platform, chain/chains, pipeline/event-log, pipeline/store, serve/accounts, app/backends, app/operations.

/** What the modules of every app inject by token, because it is an interface or a value. */
export const CONFIG = Symbol('configuration');
export const LOGGER = Symbol('log of the process');
export const CLOCK = Symbol('clock');
/** Of the program, as operators and clients see it. */
export const VERSION = Symbol('version of the program');
export const EVENT_LOG = Symbol('event log');
/** Where the event log is, as a value that another thread can open; null: it is in this thread alone. */
export const LOG_ADDRESS = Symbol('address of the event log');
export const STORE = Symbol('analytics store');
/** Answers where clients reach the router, or null. */
export const ROUTER_URL = Symbol('address of the router');
/** null: this instance asks for no keys. */
export const ACCOUNTS = Symbol('accounts');
/** Follows the accounts in the log; null without them. */
export const ACCOUNTS_STAGE = Symbol('stage of the accounts');
/** What every instance behind one address signs with. */
export const SHARED_SECRETS = Symbol('shared secrets');
export const CHAIN_ENDPOINTS = Symbol('nodes of the chains');
export const OPERATIONS = Symbol('operations of the command line');
