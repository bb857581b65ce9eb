import { bytesToHex, keccak256 } from 'viem';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { keccak256 as keccak, keccak256Hex } from './keccak.js';

describe('keccak-256', () => {
  it("equals viem's at every length around the rate of 136 bytes, and of random bytes", () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const lengths = [...Array.from({ length: 300 }, (_, length) => length), 4_095, 24_576, 100_000];
    for (const length of lengths) {
      const bytes = Uint8Array.from({ length }, () => random.below(256));
      const expected = keccak256(bytes);
      expect([seed, length, bytesToHex(keccak(bytes)), `0x${keccak256Hex(bytes)}`]).toEqual([
        seed,
        length,
        expected,
        expected,
      ]);
    }
  });

  it('leaves an earlier answer as it was', () => {
    const first = keccak(new Uint8Array(1));
    const kept = bytesToHex(first);
    keccak(new Uint8Array(2));
    expect(bytesToHex(first)).toBe(kept);
  });
});
