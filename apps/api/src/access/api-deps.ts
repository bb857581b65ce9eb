import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import type { CursorKeys } from '#libs/core/cursor.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { LiveClock, LiveLimits } from '#libs/serve/live/live-options.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';

/** What the api needs of the event log to tell how things are. */
export type StatusLog = Pick<EventLog, 'ensureTopics' | 'readKeyed' | 'describe'>;

/** The pictures that tokens have, by the names of their files. */
export interface Pictures {
  /** Whether some token has the picture: nothing else is looked for. */
  knows(name: string): boolean;
  /** Null where there is none of that name. */
  read(name: string): Promise<Buffer | null>;
}

/** Where a listener opens. */
export interface ListenPlace {
  bind: string;
  port: number;
  /** What to say when it cannot be opened; the error itself without it. */
  explain?: (error: unknown) => unknown;
}

/** What the api is composed from; a provider that needs a part of it asks for its token. */
export interface ApiDeps {
  config: ListenPlace & {
    trustProxy?: boolean | number | string[];
    /** A listener that has the live interface alone; none without it. */
    sockets?: ListenPlace;
    live?: LiveConfig;
  };
  /** By slug: the chains this instance serves. The caller that made them runs them. */
  readers: ReadonlyMap<string, ChainReader>;
  /** null: this instance asks for no keys. */
  accounts: Accounts | null;
  /** Where the other processes say how they are. */
  log: StatusLog;
  /** Nodes of the chains, for what is in no log: balances of the coin. */
  endpoints?: Pick<ChainEndpoints, 'of'>;
  /** Where clients reach this api, as its operator says. */
  publicUrl?: string | null;
  /** Pictures of tokens; without them each token has its pattern. */
  pictures?: Pictures | null;
  /** Where clients reach the router of this instance. */
  routerUrl?: () => string | null;
  /** Authenticates page cursors: the same for every process that answers behind one address. */
  cursorKey: Uint8Array | CursorKeys;
  /** Tells this installation's logs from others with the same numbers; the cursor key where it is one without it. */
  identity?: () => Uint8Array;
  logger: HttpLogger;
  version: string;
  /** How old the copies are that are sent while the tables do not answer, in ms; by the process's clock without it. */
  copiesNow?: () => number;
}

export interface LiveConfig {
  /** Most live connections of one listener. */
  maxConnections?: number;
  limits?: Partial<LiveLimits>;
  /** For what channels do at times of their own; that of the system without it. */
  clock?: LiveClock;
  keepAliveMs?: number;
  heartbeatMs?: number;
}

export const API_DEPS = Symbol('what the api is composed from');
export const API_LOGGER = Symbol('log of the api');
/** The declarations of every route and of every channel, for the routes that show them. */
export const DECLARED_ROUTES = Symbol('declared routes');
export const DECLARED_CHANNELS = Symbol('declared channels');
