import { randomBytes } from 'node:crypto';
import { CursorSigner } from './cursor.js';

describe('cursor', () => {
  const key = randomBytes(32);
  const signer = new CursorSigner(key);
  const payload = { e: 1, s: 42, at: [17, 3], text: 'ünï' };

  it('opens what it sealed, for the same scope only', () => {
    const text = signer.sign('trades?limit=5', payload);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(signer.verify('trades?limit=5', text)).toEqual(payload);
    expect(new CursorSigner(key).verify('trades?limit=5', text)).toEqual(payload);
    expect(signer.verify('trades?limit=6', text)).toBeNull();
    expect(signer.verify('', text)).toBeNull();
    expect(new CursorSigner(randomBytes(32)).verify('trades?limit=5', text)).toBeNull();
  });

  it('names what signs now, the same wherever it is, without a word of it', () => {
    const other = randomBytes(32);
    let signing: Uint8Array = key;
    const rotated = new CursorSigner({ signing: () => signing, accepted: () => [key, other] });
    const { signature } = signer;
    expect(signature).toMatch(/^[A-Za-z0-9_-]{8}$/);
    expect(rotated.signature).toBe(signature);
    signing = other;
    expect(rotated.signature).toBe(new CursorSigner(other).signature);
    expect(rotated.signature).not.toBe(signature);
    signing = Buffer.from(key);
    expect(rotated.signature).toBe(signature);
    expect([key.toString('base64url'), key.toString('hex')].join()).not.toContain(signature);
  });

  it('does not confuse where the scope ends and the payload begins', () => {
    const text = signer.sign('ab', 'c');
    expect(signer.verify('a', text)).toBeNull();
  });

  it('refuses every single-character change, truncation and extension', () => {
    const text = signer.sign('s', payload);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let i = 0; i < text.length; i++) {
      for (const char of alphabet) {
        if (char === text[i]) continue;
        expect(signer.verify('s', text.slice(0, i) + char + text.slice(i + 1))).toBeNull();
      }
      expect(signer.verify('s', text.slice(0, i))).toBeNull();
      expect(signer.verify('s', `${text}${alphabet[i % 64]}`)).toBeNull();
    }
  });

  it('refuses noise without throwing', () => {
    for (const noise of ['', '=', 'a b', '%00', 'null', 'é', 'A'.repeat(5000), '__proto__', '../..']) {
      expect(signer.verify('s', noise)).toBeNull();
    }
    for (let i = 0; i < 200; i++) expect(signer.verify('s', randomBytes(i).toString('base64url'))).toBeNull();
  });

  it('refuses a key that is too short', () => {
    expect(() => new CursorSigner(new Uint8Array(8))).toThrow('at least 16 bytes');
  });
});
