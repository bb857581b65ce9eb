import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { LiveHub } from '#libs/serve/live/live-hub.js';
import type { TransportCounters } from './transport-counters.js';

/** What every transport is given. */
export interface TransportDeps {
  hub: Pick<LiveHub, 'connect' | 'open' | 'channelNames'>;
  /** null: this instance has no keys. */
  accounts: Accounts | null;
  counters: TransportCounters;
  logger: HttpLogger;
  /** How often a connection must show that it is alive, and its key is looked at again. */
  keepAliveMs: number;
  /** How often a quiet event stream carries a comment. */
  heartbeatMs: number;
}
