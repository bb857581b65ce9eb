/** Close codes of the socket that the doors send themselves; the engine's own are in libs/live. */
export const closeCodes = {
  /** The service stops: connect again. */
  restart: 1012,
  /** A bug of ours met on this connection. */
  internal: 1011,
  /** The key was taken back while the connection was open. */
  unauthorized: 4401,
} as const;
