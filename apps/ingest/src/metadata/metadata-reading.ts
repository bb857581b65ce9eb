import { type Fetched, type FetchParts, isTypeOf } from '#libs/platform/outbound/guarded-fetch.js';
import { type Gateways, readSource } from '#libs/platform/outbound/media-source.js';
import { OutboundRefusal } from '#libs/platform/outbound/outbound-refusal.js';
import { PICTURE_TYPES, pictureName, rewritePicture } from '#libs/platform/outbound/picture.js';
import { PICTURE_RULES, readPicture } from '#libs/platform/outbound/picture-source.js';
import { launchFileIn } from '#libs/protocol/launch-files.js';
import type { TokenMetadata } from '#libs/protocol/token-metadata.js';
import { type MetadataDocument, NO_DOCUMENT, readDocument } from './metadata-document.js';

/** How strangers' addresses are read; a spec gives other parts and lets its own server through by its exact origin. */
export interface ReadingDeps {
  readonly gateways: Gateways;
  readonly timeoutMs?: number;
  readonly trustedOrigins?: ReadonlySet<string>;
  /** Files of this very instance: an address that begins so is read although it is not public. Null: there are none. */
  readonly ownFiles?: () => string | null;
  /** Metadata files that this installation's routers have made, by name: no host is asked for these. */
  readonly launchFiles?: (name: string) => Promise<Uint8Array | null>;
  readonly parts?: FetchParts;
}

export interface Reading extends Pick<TokenMetadata, 'outcome' | 'reason'> {
  readonly document: Omit<MetadataDocument, 'image'>;
  readonly picture: { readonly name: string; readonly content: Buffer } | null;
}

export const MOST_DOCUMENT_BYTES = 256 * 1024;
const TIMEOUT_MS = 15_000;
const JSON_TYPES = ['application/json', 'text/json', 'application/ld+json', 'text/plain'];
const UNKNOWN_TYPES = ['application/octet-stream', 'binary/octet-stream'];
/** A host that does not answer now, or has nothing there yet, may do so later. */
const WORTH_ANOTHER_TRY: readonly string[] = ['network', 'time', 'status'];

/** Reads what is at a token's URI: a metadata file and the picture that it names, or a picture itself. Never throws for what a stranger wrote. */
export async function fetchMetadata(uri: string, deps: ReadingDeps): Promise<Reading> {
  const { gateways, parts, timeoutMs = TIMEOUT_MS } = deps;
  const rulesOf = (address: string) => ({ ...PICTURE_RULES, timeoutMs, trustedOrigins: trustedFor(address, deps) });
  let document: MetadataDocument = NO_DOCUMENT;
  try {
    const types = [...JSON_TYPES, ...UNKNOWN_TYPES, ...PICTURE_TYPES];
    const { type, body } =
      (await launchFile(uri, deps)) ?? (await readSource(uri, { ...rulesOf(uri), types }, gateways, parts));
    const isPicture = isTypeOf(type, PICTURE_TYPES) || (isTypeOf(type, UNKNOWN_TYPES) && !isText(body));
    if (isPicture) return read(NO_DOCUMENT, await rewritePicture(body));
    document = documentOf(body);
    const { image } = document;
    return read(document, image === null ? null : await readPicture(image, rulesOf(image), gateways, parts));
  } catch (error) {
    if (!(error instanceof OutboundRefusal)) throw error;
    const outcome = WORTH_ANOTHER_TRY.includes(error.reason) ? 'failed' : 'refused';
    return { outcome, reason: `${error.reason}: ${error.message}`, document: shown(document), picture: null };
  }
}

/** The name is the hash of the content: under any host, what the log holds is the file that the token names. */
async function launchFile(uri: string, { launchFiles }: ReadingDeps): Promise<Pick<Fetched, 'type' | 'body'> | null> {
  const name = launchFileIn(uri);
  const found = name === null ? null : await launchFiles?.(name);
  return found == null ? null : { type: 'application/json', body: Buffer.from(found) };
}

/** The origin of this instance's own files is trusted for them alone. */
function trustedFor(address: string, { trustedOrigins = new Set(), ownFiles }: ReadingDeps): ReadonlySet<string> {
  const own = ownFiles?.() ?? null;
  return own !== null && address.startsWith(own) ? new Set([...trustedOrigins, new URL(own).origin]) : trustedOrigins;
}

function read(document: MetadataDocument, content: Buffer | null): Reading {
  const picture = content && { name: pictureName(content), content };
  return { outcome: 'read', reason: null, document: shown(document), picture };
}

const shown = ({ description, twitter, telegram, website, discord }: MetadataDocument) => ({
  ...{ description, twitter, telegram, website, discord },
});

const isText = (body: Buffer): boolean => /^\s*\{/.test(body.subarray(0, 64).toString('utf8'));

function documentOf(body: Buffer): MetadataDocument {
  if (body.length > MOST_DOCUMENT_BYTES)
    throw new OutboundRefusal('size', `the file is larger than ${MOST_DOCUMENT_BYTES} bytes`);
  const document = readDocument(body.toString('utf8').replace(/^\uFEFF/, ''));
  if (document === null) throw new OutboundRefusal('type', 'the file is no JSON object');
  return document;
}
