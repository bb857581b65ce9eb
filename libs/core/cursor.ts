import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The secrets of cursors, at the time of the call. */
export interface CursorKeys {
  signing(): Uint8Array;
  accepted(): readonly Uint8Array[];
}

/**
 * Page cursors: opaque to clients, versioned and authenticated. A cursor is valid only for the scope (route and
 * parameters) it was made for; anything else, tampered or foreign, verifies to null and never throws.
 * Layout before base64url: version byte, JSON payload, first 16 bytes of HMAC-SHA256(key, version, scope, payload).
 */
export class CursorSigner {
  private readonly keys: CursorKeys;
  private named: { key: Uint8Array; name: string } | null = null;

  constructor(given: Uint8Array | CursorKeys) {
    if (given instanceof Uint8Array) {
      if (given.byteLength < 16) throw new RangeError('a cursor key has at least 16 bytes');
      this.keys = { signing: () => given, accepted: () => [given] };
    } else this.keys = given;
  }

  /** Tells what signs now from what signed before, and nothing else of it. */
  get signature(): string {
    const key = this.keys.signing();
    if (this.named === null || Buffer.compare(this.named.key, key) !== 0) {
      this.named = { key, name: createHash('sha256').update('name').update(key).digest('base64url').slice(0, 8) };
    }
    return this.named.name;
  }

  sign(scope: string, payload: unknown): string {
    const body = Buffer.from(JSON.stringify(payload), 'utf8');
    return Buffer.concat([VERSION, body, mac(this.keys.signing(), scope, body)]).toString('base64url');
  }

  /** The payload, or null when no accepted key made the text for this scope. */
  verify(scope: string, text: string): unknown {
    if (text.length > MAX_TEXT || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
    const bytes = Buffer.from(text, 'base64url');
    // Several texts decode to the same bytes when spare bits are set: only the canonical one is ours.
    if (bytes.length < 1 + MAC_BYTES || bytes[0] !== VERSION[0] || bytes.toString('base64url') !== text) return null;
    const body = bytes.subarray(1, bytes.length - MAC_BYTES);
    const given = bytes.subarray(bytes.length - MAC_BYTES);
    if (!this.keys.accepted().some((key) => timingSafeEqual(given, mac(key, scope, body)))) return null;
    return JSON.parse(body.toString('utf8')) as unknown;
  }
}

function mac(key: Uint8Array, scope: string, body: Buffer): Buffer {
  const scopeBytes = Buffer.from(scope, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(scopeBytes.length);
  const hmac = createHmac('sha256', key).update(VERSION).update(length).update(scopeBytes).update(body);
  return hmac.digest().subarray(0, MAC_BYTES);
}

const VERSION = Buffer.from([1]);
const MAC_BYTES = 16;
const MAX_TEXT = 2048;
