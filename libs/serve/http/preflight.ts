import type { IncomingHttpHeaders } from 'node:http';

/** What a page may send when its preflight names no header. */
const USUAL = [
  ...['accept', 'authorization', 'cache-control', 'content-type', 'if-none-match', 'last-event-id'],
  ...['solana-client', 'x-api-key', 'x-request-id'],
];

/** A name of a header (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** One day; browsers cap it by themselves. */
const MAX_AGE = '86400';

/**
 * The headers of an answer to a CORS preflight. Every header that a page asks for is allowed: client libraries send headers of their
 * own, and a browser blocks the call over a single one that is missing here. Invariant: that opens nothing, as no listener
 * reads cookies or allows credentials; a page can send no more than any other program can, and a key only where it has one.
 */
export const preflightHeaders = (asked: IncomingHttpHeaders): Record<string, string> => ({
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-allow-headers': allowedHeaders(asked['access-control-request-headers']).join(', '),
  'access-control-max-age': MAX_AGE,
  vary: 'access-control-request-method, access-control-request-headers',
});

/** The usual names and those that were asked for, each once, in lower case; what is no name is left out. */
function allowedHeaders(asked: unknown): string[] {
  const names = typeof asked === 'string' ? asked.toLowerCase().split(',') : [];
  const valid = names.map((name) => name.trim()).filter((name) => TOKEN.test(name));
  return [...new Set([...USUAL, ...valid])].sort();
}
