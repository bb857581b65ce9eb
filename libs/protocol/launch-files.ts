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

/** A file whose token is not seen yet. */
export interface WaitingFile {
  readonly chain: string;
  /** When its create was built last. */
  readonly at: number;
  readonly bytes: number;
}

/** Keys next to the files: a file waits, its token was seen, or up to which block time the tokens of a chain were looked at. */
export const launchMarkKeys = {
  waiting: (name: string): string => `waiting.${name}`,
  seen: (name: string): string => `seen.${name}`,
  followed: (chain: string): string => `followed.${chain}`,
};

export const encodeLaunchMark = (value: WaitingFile | number | true): Buffer => Buffer.from(JSON.stringify(value));

export type LaunchMark =
  | { readonly kind: 'gone'; readonly name: string }
  | { readonly kind: 'waiting'; readonly name: string; readonly file: WaitingFile }
  | { readonly kind: 'seen'; readonly name: string }
  | { readonly kind: 'followed'; readonly chain: string; readonly time: number };

/** What a record next to the files says: `gone`, that a file does not wait any more; null for what is none of them. */
export function launchMark(key: string, value: Uint8Array | null): LaunchMark | null {
  const [, kind, subject = ''] = /^(waiting|seen|followed)\.(.+)$/.exec(key) ?? [];
  if (value === null) return kind === 'waiting' ? { kind: 'gone', name: subject } : null;
  if (kind === 'seen') return { kind, name: subject };
  const said = parsed(value);
  if (kind === 'followed') return typeof said === 'number' ? { kind, chain: subject, time: said } : null;
  if (kind !== 'waiting' || typeof said !== 'object' || said === null) return null;
  const { chain, at, bytes } = said as Record<string, unknown>;
  if (typeof chain !== 'string' || typeof at !== 'number' || typeof bytes !== 'number') return null;
  return { kind, name: subject, file: { chain, at, bytes } };
}

function parsed(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString('utf8'));
  } catch {
    return null;
  }
}
