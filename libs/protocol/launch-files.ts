import { createHash } from 'node:crypto';

/** Where a router serves the metadata files of the tokens that it built creates of, and a picture for demonstrations. */
export const LAUNCH_FILES = '/launch/files';

/** A name is the hash of the content, so that every file of that name is the same one. */
export const launchFileName = (body: Uint8Array): string =>
  `${createHash('sha256').update(body).digest('base64url')}.json`;

export const isLaunchFileName = (name: string): boolean => /^[A-Za-z0-9_-]{43}\.json$/.test(name);

/** The name in the address of such a file, under whatever address its router is reached by; null for another address. */
export function launchFileIn(address: string): string | null {
  const [, name = null] = /^https?:\/\/[^?#\s]+\/launch\/files\/([A-Za-z0-9_-]{43}\.json)$/.exec(address) ?? [];
  return name;
}
