import { UndecodableError } from '#libs/core/errors.js';

/**
 * Values of the compacted topic `secrets`: what every instance behind one address has in common. The installation is made
 * once and stays: it tells this log from others. A secret authenticates what clients bring back, such as page cursors.
 */
export interface SecretRecord {
  readonly kind: 'installation' | 'secret';
  readonly id: string;
  /** 32 bytes, hex. */
  readonly value: string;
  readonly createdAt: number;
}

export const INSTALLATION = 'installation';

export const encodeSecret = (record: SecretRecord): Uint8Array =>
  Buffer.from(JSON.stringify({ version: VERSION, ...record }), 'utf8');

/** Strict: whatever this program would not have written is an UndecodableError. The error has nothing of the value. */
export function decodeSecret(bytes: Uint8Array): SecretRecord {
  let from: Record<string, unknown>;
  try {
    from = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw undecodable('no JSON');
  }
  if (from?.version !== VERSION) throw undecodable(`version ${String(from?.version).slice(0, 20)}`);
  const { kind, id, value, createdAt } = from;
  if (kind !== 'installation' && kind !== 'secret') throw undecodable('kind');
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,40}$/.test(id)) throw undecodable('id');
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) throw undecodable('value');
  if (!Number.isSafeInteger(createdAt) || (createdAt as number) < 0) throw undecodable('createdAt');
  return { kind, id, value, createdAt: createdAt as number };
}

const VERSION = 1;
const undecodable = (reason: string) => new UndecodableError('secret', reason);
