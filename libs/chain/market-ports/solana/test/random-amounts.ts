import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/** Whole numbers larger than a double holds, from the one generator of a run. */
export function bits(random: SeededRandom, count: number): bigint {
  let value = 0n;
  for (let left = count; left > 0; left -= 24) value = (value << 24n) | BigInt(random.int(0, 0xffffff));
  return value & ((1n << BigInt(count)) - 1n);
}

/** In [from, to], every magnitude alike. */
export function magnitude(random: SeededRandom, from: bigint, to: bigint): bigint {
  const value = from + (bits(random, random.int(1, (to - from).toString(2).length)) % (to - from + 1n));
  return value > to ? to : value;
}

/** Amounts around a size: one unit, small ones, parts of it, all of it and more than it. */
export function amountsAround(random: SeededRandom, size: bigint, count: number): bigint[] {
  const whole = size > 0n ? size : 1n;
  const any = [
    1n,
    2n,
    BigInt(random.int(3, 5000)),
    magnitude(random, 1n, whole),
    magnitude(random, 1n, whole),
    (whole * BigInt(random.int(1, 99))) / 100n,
    whole - 1n,
    whole,
    whole + 1n,
    whole * 2n + BigInt(random.int(0, 9)),
  ].filter((amount) => amount > 0n);
  return Array.from({ length: count }, () => random.pick(any));
}
