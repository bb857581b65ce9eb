/** Where a Geyser stream is, out of a URL `grpc://` (in the clear) or `grpcs://` (TLS). */
export interface GeyserAddress {
  /** host:port */
  target: string;
  secure: boolean;
  /** Sent as `x-token`; never shown. */
  token: string | null;
}

const DEFAULT_PORT = { 'grpc:': '10000', 'grpcs:': '443' } as const;

export const isGeyserUrl = (url: string): boolean => /^grpcs?:\/\//i.test(url);

/**
 * The token is before the host (`grpcs://TOKEN@host`) or is the query `x-token`. Throws RangeError with a reason that
 * holds nothing of the URL.
 */
export function geyserAddress(url: string): GeyserAddress {
  const refuse = (reason: string): never => {
    throw new RangeError(`a gRPC URL ${reason}`);
  };
  if (!isGeyserUrl(url) || !URL.canParse(url)) return refuse('is grpc://host:port or grpcs://host:port');
  const { protocol, hostname, port, pathname, username, password, searchParams, hash } = new URL(url);
  if (hostname === '') return refuse('names a host');
  if ((pathname !== '' && pathname !== '/') || hash !== '') return refuse('has neither path nor fragment');
  if ([...searchParams.keys()].some((name) => name !== 'x-token')) return refuse('has no query but x-token');
  const tokens = [
    ...searchParams.getAll('x-token'),
    ...[username, password].filter((part) => part !== '').map(decoded),
  ];
  if (tokens.length > 1) return refuse('has one token');
  const token = tokens[0] || null;
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) return refuse('has a token of printable ASCII characters');
  const secure = protocol === 'grpcs:';
  return { target: `${hostname}:${port || DEFAULT_PORT[secure ? 'grpcs:' : 'grpc:']}`, secure, token };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % sign is part of the token
  }
}
