import { type FetchParts, guardedFetch } from '#libs/platform/outbound/guarded-fetch.js';
import { OutboundRefusal } from '#libs/platform/outbound/outbound-refusal.js';
import { PICTURE_TYPES, rewritePicture } from '#libs/platform/outbound/picture.js';
import { publicUrl } from '#libs/platform/outbound/public-url.js';
import { badRequest } from '#libs/serve/http/problem.js';

const RULES = {
  schemes: ['https', 'http'] as const,
  // What a file is follows from its bytes; some hosts know no type.
  types: [...PICTURE_TYPES, 'application/octet-stream', 'binary/octet-stream'],
  maxBytes: 5 * 1024 * 1024,
  timeoutMs: 5_000,
};

export interface ImageParts {
  /** An address of this instance's own, which is not fetched. */
  readonly sample: string | null;
  /** Besides those of the schemes. */
  readonly ports?: readonly number[];
  readonly parts?: FetchParts;
}

/** The address alone; a 400 that says why it is no public one. */
export function judgeImageUrl(image: string, { sample, ports = [] }: ImageParts): void {
  if (image !== sample) refusing(() => publicUrl(image, { ...RULES, ports }));
}

/**
 * Whether the picture was seen. A file that is none, is too large or is refused is a 400; a server that did not answer is false,
 * because it may answer those who look at the token.
 */
export async function seesImage(image: string, { sample, ports = [], parts }: ImageParts): Promise<boolean> {
  if (image === sample) return true;
  try {
    const { body } = await guardedFetch(image, { ...RULES, ports }, parts);
    await rewritePicture(body);
    return true;
  } catch (error) {
    if (error instanceof OutboundRefusal && (error.reason === 'network' || error.reason === 'time')) return false;
    throw problemOf(error);
  }
}

function refusing(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    throw problemOf(error);
  }
}

const problemOf = (error: unknown): unknown =>
  error instanceof OutboundRefusal ? badRequest(`image: ${error.message}`) : error;
