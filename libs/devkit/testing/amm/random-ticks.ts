import { MAX_TICK, MIN_TICK, type TickPrices } from '#libs/chain/amm/q64/tick-price.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/** A pool's price and positions, at random but with the shapes that break swap loops. */
export interface RandomTicks {
  readonly spacing: number;
  readonly tick: number;
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
  /** Net and gross liquidity of every initialized tick. */
  readonly ticks: ReadonlyMap<number, { net: bigint; gross: bigint }>;
}

/** At least one bit, at most `bits`, every length as likely. */
export function randomBits(random: SeededRandom, bits: number): bigint {
  const length = random.int(1, bits);
  return (
    (BigInt(`0x${random.hex(Math.ceil(length / 8))}`) & ((1n << BigInt(length)) - 1n)) | (1n << BigInt(length - 1))
  );
}

export function randomTicks(
  random: SeededRandom,
  prices: TickPrices,
  spacing: number,
  arrayWidth: number,
  maxBits: number,
): RandomTicks {
  const lowest = Math.ceil(MIN_TICK / spacing) * spacing;
  const highest = Math.floor(MAX_TICK / spacing) * spacing;
  const usable = (tick: number): number => Math.max(lowest, Math.min(highest, Math.floor(tick / spacing) * spacing));
  const centre = randomCentre(random, arrayWidth, spacing);
  const { tick, sqrtPrice } = randomPrice(random, prices, usable(centre), centre);

  const ticks = new Map<number, { net: bigint; gross: bigint }>();
  let liquidity = 0n;
  const add = (at: number, net: bigint, gross: bigint): void => {
    const before = ticks.get(at) ?? { net: 0n, gross: 0n };
    ticks.set(at, { net: before.net + net, gross: before.gross + gross });
  };
  for (let n = random.pick([0, 1, 2, 4, 12, 40]); n > 0; n--) {
    const [lower, upper] = randomRange(random, usable, tick, spacing, arrayWidth);
    if (lower >= upper) continue;
    const amount = randomBits(random, maxBits);
    add(lower, amount, amount);
    add(upper, -amount, amount);
    if (lower <= tick && tick < upper) liquidity += amount;
  }
  return { spacing, tick, sqrtPrice, liquidity, ticks };
}

function randomCentre(random: SeededRandom, arrayWidth: number, spacing: number): number {
  const last = Math.floor(MAX_TICK / arrayWidth);
  const word = 512 * arrayWidth;
  const centre = random.pick([
    () => random.int(-2 * arrayWidth, 2 * arrayWidth),
    () => random.int(MIN_TICK, MAX_TICK - 1),
    () => random.int(-last, last) * arrayWidth + random.int(-2, 2),
    () => random.int(-last, last) * arrayWidth - spacing + random.int(-1, 1),
    () => random.pick([-2, -1, 1, 2]) * word + random.int(-arrayWidth, arrayWidth),
    () => MIN_TICK + random.int(0, arrayWidth),
    () => MAX_TICK - 1 - random.int(0, arrayWidth),
  ])();
  return Math.max(MIN_TICK, Math.min(MAX_TICK - 1, centre));
}

/** Inside a tick, on it, or on it after it was crossed downwards, which leaves the tick below as the pool's own. */
function randomPrice(random: SeededRandom, prices: TickPrices, usable: number, centre: number) {
  const shape = random.int(0, 3);
  if (shape === 0) return { tick: usable, sqrtPrice: prices.at(usable) };
  if (shape === 1 && usable > MIN_TICK) return { tick: usable - 1, sqrtPrice: prices.at(usable) };
  const from = prices.at(centre);
  const width = prices.at(centre + 1) - from;
  return { tick: centre, sqrtPrice: from + (BigInt(`0x${random.hex(12)}`) % width) };
}

function randomRange(
  random: SeededRandom,
  usable: (tick: number) => number,
  tick: number,
  spacing: number,
  arrayWidth: number,
): [number, number] {
  const near = (): number => usable(tick + random.int(-2, 2) * spacing);
  const around = (): number => usable(tick + random.int(-3 * arrayWidth, 3 * arrayWidth));
  return random
    .pick([
      (): [number, number] => [usable(MIN_TICK), usable(MAX_TICK)],
      (): [number, number] => [near(), near() + spacing],
      (): [number, number] => [around(), around()],
      (): [number, number] => [
        usable(tick - random.int(0, arrayWidth)),
        usable(tick + random.int(spacing, arrayWidth * 2)),
      ],
      (): [number, number] => {
        const edge = Math.floor(around() / arrayWidth) * arrayWidth;
        return [usable(edge), usable(edge + arrayWidth - spacing)];
      },
    ])()
    .map(usable) as [number, number];
}

/** From one unit to more than any pool holds. */
export const randomAmounts = (random: SeededRandom): bigint[] => [
  random.pick([1n, 2n, 3n, 10n, (1n << 64n) - 1n]),
  randomBits(random, 20),
  randomBits(random, 44),
  randomBits(random, 64),
];

/** The largest amount that is still taken: one more runs past the last tick. 0 when not even one unit is. */
export function largest(accepted: (amount: bigint) => boolean): bigint {
  let low = 0n;
  for (let bit = 63n; bit >= 0n; bit--) if (accepted(low | (1n << bit))) low |= 1n << bit;
  return low;
}
