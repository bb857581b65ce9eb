import type { FetchParts } from './guarded-fetch.js';
import { type Gateways, type MediaRules, readSource } from './media-source.js';
import { PICTURE_TYPES, rewritePicture } from './picture.js';

/** Hosts of files often know no type. What a file is follows from its bytes in any case. */
const TYPES = [...PICTURE_TYPES, 'application/octet-stream', 'binary/octet-stream'];

export type PictureRules = Omit<MediaRules, 'types'>;

/** Of the file as it is sent, before it is decoded. */
export const PICTURE_RULES: PictureRules = { maxBytes: 8 * 1024 * 1024, timeoutMs: 20_000 };

/**
 * The picture that `source` (https, ipfs, ar or data) leads to, written again. An OutboundRefusal where it leads to none: also the
 * check of an address that a user gives for a picture.
 */
export async function readPicture(
  source: string,
  rules: PictureRules,
  gateways: Gateways,
  parts: FetchParts = {},
): Promise<Buffer> {
  const { body } = await readSource(source, { ...rules, types: TYPES }, gateways, parts);
  return rewritePicture(body);
}
