import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { SolanaPoolEdge } from './solana-edge.js';
import { PlainPool } from './test/plain-pool.js';
import { allVenues, randomSolanaPool } from './test/random-pools.js';

const U64_MAX = (1n << 64n) - 1n;
const AMOUNTS = 40;

/** Sizes from one unit to all of 64 bits, and around what the pool takes at most. */
function amounts(random: SeededRandom, edges: readonly bigint[]): bigint[] {
  const any = Array.from({ length: AMOUNTS }, () => {
    const size = random.int(1, 64);
    return BigInt.asUintN(size, BigInt(`0x${random.hex(8)}`)) + 1n;
  });
  const near = edges.flatMap((edge) => [edge - 1n, edge, edge + 1n, (edge * BigInt(random.int(1, 99))) / 100n]);
  return [...any, ...near].filter((amount) => amount > 0n && amount <= U64_MAX);
}

describe.each(allVenues)('bounds over %s', (venue) => {
  it('are never worse than what the program gives or asks', () => {
    const seen = { given: 0, asked: 0, refused: 0, nothing: 0 };
    for (const seed of propertySeeds(scaled(400, 20))) {
      const random = new SeededRandom(seed);
      const { kind, state } = randomSolanaPool(random, venue, random.chance(0.5));
      for (const zeroForOne of [true, false]) {
        const edge = new SolanaPoolEdge(new PlainPool('aa', venue, kind, '0a', '0b', state, true), zeroForOne);
        expect({ seed, usable: edge.usable() }).toEqual({ seed, usable: true });
        const capacity = edge.capacity();
        let [reached, before] = [0, 0];
        const inputs = amounts(random, [capacity]).sort((a, b) => (a < b ? -1 : 1));
        for (const amountIn of inputs) {
          const out = edge.exact(amountIn);
          const upper = edge.upper(Number(amountIn));
          const where = { seed, zeroForOne, amountIn, out, upper, before };
          if (out === NOT_TAKEN) seen.refused++;
          else if (out === 0n) seen.nothing++;
          else seen.given++;
          expect({ ...where, sound: out <= BigInt(upper) }).toEqual({ ...where, sound: true });
          // A bound holds for every smaller input too.
          expect({ ...where, later: upper >= reached }).toEqual({ ...where, later: true });
          const tight = edge.tightUpper(Number(amountIn), upper);
          expect({ ...where, tight: tight >= reached }).toEqual({ ...where, tight: true });
          if (out > 0n) reached = Math.max(reached, Number(out));
          before = upper;
          expect(Number(out) <= edge.mostOutput() && edge.fee(amountIn) <= amountIn).toBe(true);
          if (out !== NOT_TAKEN && out > 0n) expect(Number(amountIn) <= edge.capacityUpper()).toBe(true);
        }
        if (capacity >= 1n && edge.exact(capacity) > 0n) expect(edge.exact(capacity + 1n)).toBe(NOT_TAKEN);
        let cost = Number.POSITIVE_INFINITY;
        const reserve = zeroForOne ? state.reserveB : state.reserveA;
        for (const amountOut of amounts(random, [reserve]).sort((a, b) => (a < b ? 1 : -1))) {
          const swap = edge.swapOut(amountOut);
          const lower = edge.lower(Number(amountOut));
          const asked = swap === null ? Number.POSITIVE_INFINITY : Number(swap.amountIn);
          const where = { seed, zeroForOne, amountOut, asked, lower };
          expect({ ...where, sound: lower <= asked }).toEqual({ ...where, sound: true });
          // And for every larger output.
          expect({ ...where, larger: lower <= cost }).toEqual({ ...where, larger: true });
          cost = Math.min(cost, asked);
          if (swap !== null) seen.asked++;
        }
      }
    }
    console.log(`${venue}: ${JSON.stringify(seen)}`);
    expect(seen.given).toBeGreaterThan(50);
    expect(seen.asked).toBeGreaterThan(20);
  });
});

/** Venues that state their curves in real numbers. */
const CURVED = ['orca-whirlpool', 'raydium-clmm'];
/** Units that every step may round away, next to amounts from this size on. */
const LEAST_AMOUNT = 100_000_000n;
const CLOSE = 1e-4;

test.each(CURVED)('bounds over %s are close to what the program gives and asks, whatever its fee', (venue) => {
  let compared = 0;
  for (const seed of propertySeeds(scaled(200, 20), 30_000)) {
    const random = new SeededRandom(seed);
    const depth = [0, 0].map(() => 10n ** BigInt(random.int(12, 15)) * BigInt(random.int(1, 9))) as [bigint, bigint];
    const { kind, state } = randomSolanaPool(random, venue, depth);
    for (const zeroForOne of [true, false]) {
      const edge = new SolanaPoolEdge(new PlainPool('aa', venue, kind, '0a', '0b', state, true), zeroForOne);
      expect({ seed, usable: edge.usable() }).toEqual({ seed, usable: true });
      for (const amount of amounts(random, [depth[0], depth[1]])) {
        const given = edge.swapIn(amount);
        if (given !== null && amount >= LEAST_AMOUNT && given.amountOut >= LEAST_AMOUNT) {
          const above = edge.upper(Number(amount)) / Number(given.amountOut) - 1;
          expect({ seed, zeroForOne, amount, above, close: above < CLOSE }).toMatchObject({ close: true });
          compared++;
        }
        const asked = edge.swapOut(amount);
        if (asked !== null && amount >= LEAST_AMOUNT && asked.amountIn >= LEAST_AMOUNT) {
          const below = 1 - edge.lower(Number(amount)) / Number(asked.amountIn);
          expect({ seed, zeroForOne, amount, below, close: below < CLOSE }).toMatchObject({ close: true });
          compared++;
        }
      }
    }
  }
  console.log(`${venue}: ${compared} compared`);
  expect(compared).toBeGreaterThan(100);
});
