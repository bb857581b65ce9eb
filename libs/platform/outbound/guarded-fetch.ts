// Room: the guarded way to a URL that a stranger wrote, and the metadata and pictures that come from there. May
// import core.

import { lookup } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { OutboundRefusal } from './outbound-refusal.js';
import { isPublicAddress } from './public-address.js';
import { publicUrl, type UrlRules } from './public-url.js';

export interface FetchRules extends UrlRules {
  /** Media types without parameters. `image/*` means all of its kind. */
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** For the whole, redirects included. */
  readonly timeoutMs: number;
}

export interface Fetched {
  /** Where the redirects ended. */
  readonly url: string;
  /** Media type without parameters, in lower case. */
  readonly type: string;
  readonly body: Buffer;
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** The parts that reach outside of the process; specs put others in their place. */
export interface FetchParts {
  readonly resolve?: (host: string) => Promise<readonly Address[]>;
  readonly isPublic?: (address: string) => boolean;
}

const MOST_REDIRECTS = 3;
const MOST_HEADER_BYTES = 16 * 1024;

/**
 * The only way to a URL that a stranger wrote. Invariants: each hop is checked as the first one; a name is resolved once a hop, all
 * that it resolves to must be public, and the connection goes to exactly what was checked; no more than `maxBytes` are kept and
 * nothing takes longer than `timeoutMs`; no cookie, key or credential is sent. Everything else is an OutboundRefusal.
 */
export async function guardedFetch(text: string, rules: FetchRules, parts: FetchParts = {}): Promise<Fetched> {
  const deadline = AbortSignal.timeout(rules.timeoutMs);
  let url = publicUrl(text, rules);
  for (let hop = 0; ; hop++) {
    const response = await open(url, rules, parts, deadline);
    try {
      const next = redirectOf(response, url);
      if (next === null) return await read(response, url, rules, deadline);
      if (hop >= MOST_REDIRECTS) throw new OutboundRefusal('redirects', 'too many redirects');
      const target = publicUrl(next, rules);
      if (url.protocol === 'https:' && target.protocol !== 'https:') {
        throw new OutboundRefusal('scheme', 'a redirect leaves https');
      }
      url = target;
    } finally {
      response.destroy();
    }
  }
}

async function open(url: URL, rules: FetchRules, parts: FetchParts, deadline: AbortSignal): Promise<IncomingMessage> {
  const { isPublic, lookup } = await pin(url, rules, parts, deadline);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = send(url, {
      method: 'GET',
      // A connection of its own: none that a request with other rules has opened.
      agent: false,
      lookup,
      maxHeaderSize: MOST_HEADER_BYTES,
      signal: deadline,
      headers: { accept: rules.types.join(', '), 'accept-encoding': 'identity', 'user-agent': 'tidepool' },
    });
    request.on('socket', (socket) => {
      socket.once('connect', () => {
        const { remoteAddress = '' } = socket;
        if (!isPublic(unmapped(remoteAddress)))
          request.destroy(new OutboundRefusal('address', 'the address is not a public one'));
      });
    });
    request.once('response', (response) => {
      // What reads it hears of its end; a redirect is not read.
      response.on('error', () => undefined);
      resolve(response);
    });
    request.on('error', (error) => reject(refusalOf(error, deadline)));
    // A server that answers with another protocol.
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new OutboundRefusal('status', 'the server answers with another protocol'));
    });
    request.end();
  });
}

/** How a socket of both families names an address of IPv4. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

interface Pinned {
  readonly isPublic: (address: string) => boolean;
  /** Answers the address that was checked, whatever host it is asked for. */
  readonly lookup: LookupFunction;
}

/** Resolves the host of a URL, once: all of its addresses must be public, or its origin trusted. */
export async function pin(url: URL, rules: UrlRules, parts: FetchParts, deadline: AbortSignal): Promise<Pinned> {
  const trusted = rules.trustedOrigins?.has(url.origin) === true;
  const isPublic = (address: string) => trusted || (parts.isPublic ?? isPublicAddress)(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const resolved = publicAddressOf(host, isPublic, parts.resolve ?? resolveAll);
  const { address, family } = await withDeadline(resolved, deadline);
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  return { isPublic, lookup };
}

/** One address of a host, when all of its addresses are public. */
async function publicAddressOf(
  host: string,
  isPublic: (address: string) => boolean,
  resolve: NonNullable<FetchParts['resolve']>,
): Promise<Address> {
  const family = isIP(host);
  let found: readonly Address[];
  try {
    found = family === 0 ? await resolve(host) : [{ address: host, family }];
  } catch {
    throw new OutboundRefusal('network', 'the host is not known');
  }
  if (found.length === 0) throw new OutboundRefusal('network', 'the host is not known');
  if (!found.every(({ address }) => isIP(address) !== 0 && isPublic(address))) {
    throw new OutboundRefusal('address', 'the host does not lead to a public address');
  }
  return found[0]!;
}

const resolveAll = (host: string): Promise<readonly Address[]> => lookup(host, { all: true, verbatim: true });

/** Where a redirect leads, or null for another answer. */
function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): string | null {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return null;
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new OutboundRefusal('redirects', 'a redirect leads nowhere');
  }
  return new URL(location, from.href).href;
}

async function read(response: IncomingMessage, url: URL, rules: FetchRules, deadline: AbortSignal): Promise<Fetched> {
  const { statusCode, headers } = response;
  if (statusCode !== 200) throw new OutboundRefusal('status', `the server answers ${statusCode}`);
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (!isTypeOf(type, rules.types))
    throw new OutboundRefusal('type', `the file must be of type ${rules.types.join(', ')}`);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new OutboundRefusal('type', 'the file is compressed');
  const tooLarge = () => new OutboundRefusal('size', `the file is larger than ${rules.maxBytes} bytes`);
  if (Number(headers['content-length'] ?? 0) > rules.maxBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > rules.maxBytes) throw tooLarge();
      pieces.push(piece);
    }
  } catch (error) {
    throw refusalOf(error, deadline);
  }
  return { url: url.href, type, body: Buffer.concat(pieces) };
}

export const isTypeOf = (type: string, allowed: readonly string[]): boolean =>
  allowed.some((one) => (one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one));

function refusalOf(error: unknown, deadline: AbortSignal): OutboundRefusal {
  if (error instanceof OutboundRefusal) return error;
  if (deadline.aborted) return new OutboundRefusal('time', 'the file did not arrive in time');
  return new OutboundRefusal('network', 'the server does not answer');
}

function withDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new OutboundRefusal('time', 'the host was not found in time'));
    if (deadline.aborted) return late();
    deadline.addEventListener('abort', late, { once: true });
    work.then(resolve, reject).finally(() => deadline.removeEventListener('abort', late));
  });
}
