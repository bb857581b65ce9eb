import type { Provider } from '@nestjs/common';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, EVENT_LOG, LOGGER, ROUTER_URL, VERSION } from '#libs/app/modules/tokens.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { CursorKeys } from '#libs/core/cursor.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ListenerPlace } from '#libs/serve/http/listener-place.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { type LiveSettings, liveSettings } from './live-settings.js';

/*
 * What the parts of the api inject by token, because it is an interface or a value, in addition to the tokens of every app: of
 * those they use ACCOUNTS, CHAIN_ENDPOINTS, EVENT_LOG, LOGGER, ROUTER_URL and VERSION.
 */

/** By slug: the read model of each chain that this instance serves. */
export const READERS = Symbol('readers of the chains');
export type Readers = ReadonlyMap<string, ChainReader>;

/** Where the api listens. */
export const API_PLACES = Symbol('places of the api');
/** What the features of this instance answer, as routes of a listener. */
export const API_ROUTES = Symbol('routes of the api');
/** How live connections are treated. */
export const LIVE_SETTINGS = Symbol('settings of the live interface');
/** Where clients reach this api, as its operator says; null where nothing is said. */
export const PUBLIC_URL = Symbol('public address of the api');
/** Pictures of tokens; null: each token has its pattern. */
export const PICTURES = Symbol('pictures of tokens');
/** Authenticates page cursors: the same for every process that answers behind one address. */
export const CURSOR_KEYS = Symbol('keys of the cursors');
/** Answers what tells this installation's logs from others with the same numbers. */
export const IDENTITY = Symbol('identity of the installation');
/** By what the age of copies is measured that are sent while the tables do not answer, in ms; optional. */
export const COPIES_CLOCK = Symbol('clock of the copies');
/** The declarations of every route and of every channel, for the routes that show them. */
export const DECLARED_ROUTES = Symbol('declared routes');
export const DECLARED_CHANNELS = Symbol('declared channels');

/** What the api needs of the event log to tell how things are. */
export type StatusLog = Pick<EventLog, 'ensureTopics' | 'readKeyed' | 'describe'>;

/** The pictures that tokens have, by the names of their files. */
export interface Pictures {
  /** Whether some token has the picture: nothing else is looked for. */
  knows(name: string): boolean;
  /** Null where there is none of that name. */
  read(name: string): Promise<Buffer | null>;
}

export interface ApiPlaces extends ListenerPlace {
  /** A listener that has the live interface alone; none without it. */
  sockets?: ListenerPlace;
}

/** The same as values, for an api over parts that its caller opened itself. */
export interface ApiParts {
  config: ApiPlaces & { live?: Partial<LiveSettings> };
  /** The caller that made them runs them. */
  readers: Readers;
  /** null: this instance asks for no keys. */
  accounts: Accounts | null;
  /** Where the other processes say how they are. */
  log: StatusLog;
  /** Nodes of the chains, for what is in no log: balances of the coin. None without them. */
  endpoints?: Pick<ChainEndpoints, 'of'>;
  publicUrl?: string | null;
  pictures?: Pictures | null;
  routerUrl?: () => string | null;
  cursorKey: Uint8Array | CursorKeys;
  /** The cursor key where it is one without it. */
  identity?: () => Uint8Array;
  logger: HttpLogger;
  version: string;
  copiesNow?: () => number;
}

const noNodes: Pick<ChainEndpoints, 'of'> = {
  of: async () => ({ rpcUrls: [], startHeight: null, codePins: new Map(), demoRpcUrl: null }),
};

/** Given parts under the tokens that the api injects. */
export function providersOf({ config, cursorKey, ...parts }: ApiParts): Provider[] {
  const signing = (): Uint8Array => (cursorKey instanceof Uint8Array ? cursorKey : cursorKey.signing());
  const values: [token: symbol, value: unknown][] = [
    [READERS, parts.readers],
    [ACCOUNTS, parts.accounts],
    [EVENT_LOG, parts.log],
    [CHAIN_ENDPOINTS, parts.endpoints ?? noNodes],
    [PUBLIC_URL, parts.publicUrl ?? null],
    [PICTURES, parts.pictures ?? null],
    [ROUTER_URL, parts.routerUrl ?? (() => null)],
    [CURSOR_KEYS, cursorKey],
    [IDENTITY, parts.identity ?? signing],
    [API_PLACES, config],
    [LIVE_SETTINGS, liveSettings(config.live)],
    [LOGGER, parts.logger],
    [VERSION, parts.version],
    [COPIES_CLOCK, parts.copiesNow ?? (() => performance.now())],
  ];
  // No other part of such a program asks the nodes.
  const own: Provider = { provide: NodePools, useFactory: () => new NodePools() };
  return [own, ...values.map(([provide, useValue]) => ({ provide, useValue }))];
}
