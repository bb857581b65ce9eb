import { isIP } from 'node:net';
import { OutboundRefusal } from './outbound-refusal.js';
import { isPublicAddress } from './public-address.js';

export interface UrlRules {
  /** Schemes without the colon. */
  readonly schemes: readonly ('https' | 'http')[];
  /** Ports in addition to that of the scheme. */
  readonly ports?: readonly number[];
  /** Exact origins, scheme and port included, that are let through although they are not public: those of this installation. */
  readonly trustedOrigins?: ReadonlySet<string>;
}

const MOST_CHARACTERS = 2_048;
/** Names that resolve inside of a machine or a network alone. */
const INNER_NAMES =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|onion|test|invalid)$/;

/**
 * A URL that a stranger wrote, or a refusal. What the host resolves to is checked where the connection is made
 * (guarded-fetch.ts): between a check here and the connection a name may change what it leads to.
 */
export function publicUrl(text: string, rules: UrlRules): URL {
  if (text.length > MOST_CHARACTERS)
    throw new OutboundRefusal('url', `the URL is longer than ${MOST_CHARACTERS} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) {
    throw new OutboundRefusal('url', 'it is not an absolute URL without spaces');
  }
  const url = new URL(text);
  const trusted = rules.trustedOrigins?.has(url.origin) === true;
  if (!trusted && !rules.schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    throw new OutboundRefusal('scheme', `the URL must begin with ${rules.schemes.join(':// or ')}://`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefusal('credentials', 'the URL must not carry a user or a password');
  }
  url.hash = '';
  if (trusted) return url;
  if (url.port !== '' && !rules.ports?.includes(Number(url.port))) {
    throw new OutboundRefusal('port', `port ${url.port} is not allowed`);
  }
  checkHost(url.hostname);
  return url;
}

/** The parser has brought every spelling of an IPv4 address (decimal, octal, hexadecimal, short) into the one with dots. */
function checkHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host)) throw new OutboundRefusal('address', 'the address is not a public one');
    return;
  }
  const name = host.replace(/\.$/, '');
  if (!name.includes('.') || INNER_NAMES.test(name)) throw new OutboundRefusal('host', 'the host is not a public name');
}
