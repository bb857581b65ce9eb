import { type Hex, isHex } from '#libs/core/ids.js';

/**
 * Values of the topic `token-metadata`: what is where the metadata of a token lead, as it was read at `readAt`. Pictures are
 * named by their content. A token without a URI has no value.
 */
export interface TokenMetadata {
  /**
   * `waiting`: not read yet. `failed`: to be tried again. `refused`: it is nothing that is shown, and is not asked for again.
   * Fields that were read stay, whatever the outcome.
   */
  outcome: 'waiting' | 'read' | 'refused' | 'failed';
  /** What was wrong, without anything that was read. */
  reason: string | null;
  /** Where it was read; null while its contract was not asked, and for a long one that was read. */
  uri: string | null;
  /** Sha-256 of the URI; null while it is not known. */
  source: Hex | null;
  /** Unix ms of the last try; 0 before the first. */
  readAt: number;
  tries: number;
  /** Name of the picture's file. */
  picture: string | null;
  description: string | null;
  twitter: string | null;
  telegram: string | null;
  website: string | null;
  discord: string | null;
}

/** How far the blocks of a chain were followed: their newest sealed group. */
export interface MetadataPlace {
  epoch: number;
  seq: number;
}

const VERSION = 1;
const OUTCOMES: readonly string[] = ['waiting', 'read', 'refused', 'failed'] satisfies TokenMetadata['outcome'][];
const TEXTS = [
  'reason',
  'uri',
  'source',
  'picture',
  'description',
  'twitter',
  'telegram',
  'website',
  'discord',
] as const;

export const metadataKey = (chain: string, token: Hex): string => `${chain}.${token}`;
export const metadataPlaceKey = (chain: string): string => `${chain}.@`;

/** The token of a key; null for the place of a chain. */
export function metadataSubject(key: string): { chain: string; token: Hex } | null {
  const [chain = '', token = '', ...rest] = key.split('.');
  return rest.length === 0 && token !== '' && isHex(token, token.length / 2) ? { chain, token } : null;
}

export const encodeMetadata = (value: TokenMetadata | MetadataPlace): Uint8Array =>
  Buffer.from(JSON.stringify({ version: VERSION, ...value }), 'utf8');

/** Null for what this program would not have written: it is passed over. */
export function decodeMetadata(bytes: Uint8Array): TokenMetadata | null {
  const from = fieldsOf(bytes);
  if (from === null || !OUTCOMES.includes(from.outcome as string)) return null;
  if (!isCount(from.readAt) || !isCount(from.tries)) return null;
  if (!TEXTS.every((name) => from[name] === null || typeof from[name] === 'string')) return null;
  const texts = Object.fromEntries(TEXTS.map((name) => [name, from[name]])) as Pick<
    TokenMetadata,
    (typeof TEXTS)[number]
  >;
  return { outcome: from.outcome as TokenMetadata['outcome'], ...texts, readAt: from.readAt, tries: from.tries };
}

export function decodeMetadataPlace(bytes: Uint8Array): MetadataPlace | null {
  const from = fieldsOf(bytes);
  return from !== null && isCount(from.epoch) && isCount(from.seq) ? { epoch: from.epoch, seq: from.seq } : null;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function fieldsOf(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    const from = value as Record<string, unknown> | null;
    return typeof from === 'object' && from?.version === VERSION ? from : null;
  } catch {
    return null;
  }
}
