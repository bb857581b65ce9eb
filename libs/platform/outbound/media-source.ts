import { type Fetched, type FetchParts, type FetchRules, guardedFetch, isTypeOf } from './guarded-fetch.js';
import { OutboundRefusal } from './outbound-refusal.js';

/** Where the content of networks without hosts is read from. */
export interface Gateways {
  /** Each a URL that paths are put behind. The operator's choice: it may be on a private address, for what it is asked for alone. */
  readonly ipfs: string;
  readonly arweave: string;
}

export type MediaRules = Omit<FetchRules, 'schemes'>;

const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,100})$/;
const ARWEAVE_ID = /^[A-Za-z0-9_-]{43}$/;
const PATH = /^(\/[A-Za-z0-9._~!$&'()*+,;=:@% -]*)*$/;

/** Reads what a token's metadata name: `https:`, `ipfs:`, `ar:` and `data:`, nothing else. */
export async function readSource(
  source: string,
  rules: MediaRules,
  gateways: Gateways,
  parts: FetchParts = {},
): Promise<Fetched> {
  const text = source.trim();
  if (/^data:/i.test(text)) return dataOf(text, rules);
  const { url, gateway } = httpsOf(text, gateways);
  const trustedOrigins = new Set([
    ...(rules.trustedOrigins ?? []),
    ...(gateway === null ? [] : [new URL(gateway).origin]),
  ]);
  return guardedFetch(url, { ...rules, schemes: ['https'], trustedOrigins }, parts);
}

function httpsOf(text: string, { ipfs, arweave }: Gateways): { url: string; gateway: string | null } {
  const [, scheme, rest = ''] = /^(ipfs|ar):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) return { url: text, gateway: null };
  if (scheme.toLowerCase() === 'ar') return { url: joined(arweave, rest, ARWEAVE_ID), gateway: arweave };
  return { url: joined(`${ipfs.replace(/\/$/, '')}/ipfs`, rest.replace(/^ipfs\//, ''), CID), gateway: ipfs };
}

function joined(gateway: string, rest: string, idForm: RegExp): string {
  const [id = '', ...segments] = rest.split('/');
  const path = segments.map((segment) => `/${segment}`).join('');
  const climbs = segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  if (!idForm.test(id) || !PATH.test(path) || climbs)
    throw new OutboundRefusal('url', 'it names no file of the network');
  return `${gateway.replace(/\/$/, '')}/${id}${path.replaceAll(' ', '%20')}`;
}

/** A file inside of its own address: `data:[type][;base64],content`. */
function dataOf(text: string, { types, maxBytes }: MediaRules): Fetched {
  const comma = text.indexOf(',');
  if (comma < 0) throw new OutboundRefusal('url', 'it is no data URL');
  const [type = '', ...parameters] = text.slice('data:'.length, comma).toLowerCase().split(';');
  if (!isTypeOf(type.trim(), types)) throw new OutboundRefusal('type', `the file must be of type ${types.join(', ')}`);
  const content = text.slice(comma + 1);
  // A byte takes one character at least, and three for four of base64.
  if (content.length > maxBytes * 3) throw new OutboundRefusal('size', `the file is larger than ${maxBytes} bytes`);
  const body = parameters.at(-1)?.trim() === 'base64' ? base64Of(content) : textOf(content);
  if (body.length > maxBytes) throw new OutboundRefusal('size', `the file is larger than ${maxBytes} bytes`);
  return { url: 'data:', type: type.trim(), body };
}

function base64Of(content: string): Buffer {
  const plain = decoded(content);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) throw new OutboundRefusal('url', 'it is no base64');
  return Buffer.from(plain, 'base64');
}

const textOf = (content: string): Buffer => Buffer.from(decoded(content), 'utf8');

function decoded(content: string): string {
  try {
    return decodeURIComponent(content);
  } catch {
    throw new OutboundRefusal('url', 'it is no data URL');
  }
}
