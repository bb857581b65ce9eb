import { randomBytes } from 'node:crypto';
import { CursorSealer } from './cursor.js';

describe('cursor', () => {
  const key = randomBytes(32);
  const sealer = new CursorSealer(key);
  const payload = { e: 1, s: 42, at: [17, 3], text: 'ünï' };

  it('opens what it sealed, for the same scope only', () => {
    const text = sealer.seal('trades?limit=5', payload);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(sealer.open('trades?limit=5', text)).toEqual(payload);
    expect(new CursorSealer(key).open('trades?limit=5', text)).toEqual(payload);
    expect(sealer.open('trades?limit=6', text)).toBeNull();
    expect(sealer.open('', text)).toBeNull();
    expect(new CursorSealer(randomBytes(32)).open('trades?limit=5', text)).toBeNull();
  });

  it('does not confuse where the scope ends and the payload begins', () => {
    const text = sealer.seal('ab', 'c');
    expect(sealer.open('a', text)).toBeNull();
  });

  it('refuses every single-character change, truncation and extension', () => {
    const text = sealer.seal('s', payload);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let i = 0; i < text.length; i++) {
      for (const char of alphabet) {
        if (char === text[i]) continue;
        expect(sealer.open('s', text.slice(0, i) + char + text.slice(i + 1))).toBeNull();
      }
      expect(sealer.open('s', text.slice(0, i))).toBeNull();
      expect(sealer.open('s', `${text}${alphabet[i % 64]}`)).toBeNull();
    }
  });

  it('refuses noise without throwing', () => {
    for (const noise of ['', '=', 'a b', '%00', 'null', 'é', 'A'.repeat(5000), '__proto__', '../..']) {
      expect(sealer.open('s', noise)).toBeNull();
    }
    for (let i = 0; i < 200; i++) expect(sealer.open('s', randomBytes(i).toString('base64url'))).toBeNull();
  });

  it('refuses a key that is too short', () => {
    expect(() => new CursorSealer(new Uint8Array(8))).toThrow('at least 16 bytes');
  });
});
