import type { StreamEnd } from '#libs/serve/accounts/account.js';

/** Close codes of the socket that the transports send themselves; the engine's own are in libs/serve/live. */
export const closeCodes = {
  /** The service stops: connect again. */
  restart: 1012,
  /** A bug of ours met on this connection. */
  internal: 1011,
  /** The key was taken back while the connection was open. */
  unauthorized: 4401,
  /** The account has no credits for another minute. */
  unpaid: 4402,
} as const;

/** How a connection ends whose key or credits are gone. */
export const endCodes: Readonly<Record<StreamEnd, number>> = {
  key: closeCodes.unauthorized,
  credits: closeCodes.unpaid,
};
export const endWords: Readonly<Record<StreamEnd, string>> = {
  key: 'the key is no longer accepted',
  credits: 'the account has no credits left',
};
