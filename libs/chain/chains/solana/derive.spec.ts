import { PublicKey } from '@solana/web3.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { isOnCurve } from './curve-point.js';
import { deriveAddress } from './derive.js';

const bytes = (random: SeededRandom, length: number): Buffer =>
  Buffer.from(random.hex(length), 'hex').subarray(0, length);

test('addresses equal those of web3.js, for any seeds', () => {
  const random = new SeededRandom(11);
  for (let nth = 0; nth < 200; nth++) {
    const program = new PublicKey(bytes(random, 32));
    const seeds = Array.from({ length: random.int(0, 15) }, () => bytes(random, random.int(0, 32)));
    expect(deriveAddress(program.toBase58(), seeds)).toBe(
      PublicKey.findProgramAddressSync(seeds, program)[0].toBase58(),
    );
  }
});

test('points of the curve are told apart as by web3.js: about half of all values', () => {
  const random = new SeededRandom(12);
  let on = 0;
  for (let nth = 0; nth < 500; nth++) {
    const value = bytes(random, 32);
    expect(isOnCurve(value)).toBe(PublicKey.isOnCurve(value));
    if (isOnCurve(value)) on++;
  }
  expect(on).toBeGreaterThan(200);
  expect(on).toBeLessThan(300);
  // y = 1 is the neutral point, y = 2 none.
  expect(isOnCurve(Uint8Array.of(1, ...Array(31).fill(0)))).toBe(true);
  expect(isOnCurve(Uint8Array.of(2, ...Array(31).fill(0)))).toBe(false);
});

test('a program or seeds that no address can come from are refused', () => {
  const program = PublicKey.default.toBase58();
  expect(() => deriveAddress('zzz', [])).toThrow('the program is no address');
  expect(() => deriveAddress(program, [new Uint8Array(33)])).toThrow('at most 15 seeds of 32 bytes');
  expect(() => deriveAddress(program, Array(16).fill(new Uint8Array(1)))).toThrow('at most 15 seeds');
});
