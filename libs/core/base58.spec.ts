import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { decodeBase58, encodeBase58, MAX_BASE58_BYTES } from './base58.js';

/** The public SDK's codec. */
const toText = (bytes: Uint8Array): string => getBase58Decoder().decode(bytes);
const toBytes = (text: string): Uint8Array => Uint8Array.from(getBase58Encoder().encode(text));

function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('base58', () => {
  it('agrees with the public SDK in both directions, for every length and for leading zeros', () => {
    const seed = testSeed();
    console.log(`seed ${seed}`);
    const random = generator(seed);
    for (let run = 0; run < 5000 * scale; run++) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * (run % 10 === 0 ? 600 : 70)) }, () =>
        Math.floor(random() * 256),
      );
      bytes.fill(0, 0, run % 3 === 0 ? Math.floor(random() * 6) : 0);
      if (run % 5 === 0) bytes.fill(255, bytes.length >> 1);
      const text = toText(bytes);
      expect(encodeBase58(bytes)).toBe(text);
      expect(Buffer.from(decodeBase58(text)!).equals(bytes)).toBe(true);
    }
  });

  it('refuses other characters and texts that are too long, and keeps its state clean after that', () => {
    for (const text of ['0', 'O', 'I', 'l', ' 2', '2 ', 'é', '1\u0131', '2222+', '22222-2']) {
      expect(decodeBase58(text)).toBeNull();
      expect(decodeBase58('2222222')).toEqual(toBytes('2222222'));
    }
    expect(decodeBase58('')).toEqual(new Uint8Array(0));
    expect(decodeBase58('z'.repeat(MAX_BASE58_BYTES * 2))).toBeNull();
    expect(() => encodeBase58(new Uint8Array(MAX_BASE58_BYTES + 1))).toThrow(RangeError);
    const largest = new Uint8Array(MAX_BASE58_BYTES).fill(255);
    expect(decodeBase58(encodeBase58(largest))).toEqual(largest);
  });
});
