import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import type { EvmChain } from './evm/ports.js';
import type { HeldQuotes } from './held/held-quotes.js';
import type { LaunchDeps } from './launch/launch-deps.js';
import type { ReceiptKeeper } from './receipts/receipt-keeper.js';
import type { SolanaChain } from './solana/ports.js';

/** What the router is composed from; a route that needs a part of it asks for its token. */
export interface RouterDeps {
  config: {
    bind: string;
    port: number;
    trustProxy?: boolean | number | string[];
    /** When a request is cut; 10 s. */
    requestTimeoutMs?: number;
    /** What to say when the listener cannot be opened; the error itself without it. */
    explain?: (error: unknown) => unknown;
  };
  /** null: a self-hosted router without accounts has no keys. */
  accounts: Accounts | null;
  logger: HttpLogger;
  version: string;
  /** Every EVM chain, in the order in which lists show them, with or without a node. */
  chains: readonly EvmChain[];
  /** Solana, with or without a node and a deployment; absent: a router that serves EVM chains alone. */
  solana?: SolanaChain;
  held: HeldQuotes;
  /** The caller that made it runs it. */
  receipts: Pick<ReceiptKeeper, 'add' | 'chains' | 'list'>;
  /** What creates are made with; absent: all of this process alone. */
  launch?: LaunchDeps;
  /** Unix ms. */
  now?: () => number;
  /** By which requests are cut; the system's. */
  clock?: RequestClock;
}

export const ROUTER_DEPS = Symbol('what the router is composed from');
