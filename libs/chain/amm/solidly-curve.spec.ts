import { readFileSync } from 'node:fs';
import { ONE_E36, pow10 } from '#libs/core/money.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { propertySeeds } from '#libs/devkit/testing/seeded-random.js';
import { roughSolidlyStableSpot, solidlyStableSpot } from './solidly-curve.js';

const ONE = 10n ** 18n;

/** The pool contract's own arithmetic (Pool.sol: _f, _d, _get_y), in its 18 decimals and with its roundings. */
function contractOutput(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  const f = (x0: bigint, y: bigint): bigint => {
    const a = (x0 * y) / ONE;
    const b = (x0 * x0) / ONE + (y * y) / ONE;
    return (a * b) / ONE;
  };
  const d = (x0: bigint, y: bigint): bigint => (3n * x0 * ((y * y) / ONE)) / ONE + (((x0 * x0) / ONE) * x0) / ONE;
  const xy = f(reserveIn, reserveOut);
  const x0 = reserveIn + amountIn;
  let y = reserveOut;
  for (let round = 0; round < 255; round++) {
    const k = f(x0, y);
    const dy = k < xy ? ((xy - k) * ONE) / d(x0, y) : ((k - xy) * ONE) / d(x0, y);
    if (dy === 0n) break;
    y = k < xy ? y + dy : y - dy;
  }
  return reserveOut - y;
}

interface RecordedQuote {
  stable: boolean;
  reserveIn: string;
  reserveOut: string;
  decimalsMultiplier01: [string, string];
  tokenInIndex: 0 | 1;
  feeNumerator: number;
  feeDenominator: number;
  amountIn: string;
  expectedAmountOut: string;
}

describe('spot of a stable Solidly pool', () => {
  it('is held against the contract’s arithmetic, which gives the recorded quotes', () => {
    const quotes: RecordedQuote[] = JSON.parse(
      readFileSync(new URL('./fixtures/solidly-quotes.json', import.meta.url), 'utf8'),
    );
    const stable = quotes.filter((quote) => quote.stable);
    expect(stable.length).toBeGreaterThan(1);
    for (const quote of stable) {
      const { tokenInIndex, decimalsMultiplier01, feeNumerator, feeDenominator } = quote;
      const [unitIn, unitOut] = [tokenInIndex, 1 - tokenInIndex].map((side) => BigInt(decimalsMultiplier01[side]!));
      const scaled = (amount: string | bigint, unit: bigint): bigint => (BigInt(amount) * ONE) / unit;
      const amountIn = BigInt(quote.amountIn);
      const taxed = amountIn - (amountIn * BigInt(feeNumerator)) / BigInt(feeDenominator);
      const [reserveIn, reserveOut] = [scaled(quote.reserveIn, unitIn!), scaled(quote.reserveOut, unitOut!)];
      const out = (contractOutput(scaled(taxed, unitIn!), reserveIn, reserveOut) * unitOut!) / ONE;
      expect(Number(out - BigInt(quote.expectedAmountOut))).toBeCloseTo(0, -1);
    }
  });

  it('is one where the reserves are equal, whatever their decimals', () => {
    expect(solidlyStableSpot(10n ** 24n, 10n ** 12n, 18, 6)).toBe(ONE_E36);
    expect(solidlyStableSpot(10n ** 12n, 10n ** 24n, 6, 18)).toBe(ONE_E36);
  });

  it('is the slope of x³y + y³x', () => {
    // x = 1, y = 2: (3·2 + 8) / (1 + 12)
    expect(solidlyStableSpot(ONE, 2n * ONE, 18, 18)).toBe((14n * ONE_E36) / 13n);
    expect(roughSolidlyStableSpot(1, 2)).toBeCloseTo(14 / 13, 14);
  });

  it.each(propertySeeds(20))('is what the contract pays for an amount that moves nothing (seed %s)', (seed) => {
    const random = new SeededRandom(seed);
    const x = BigInt(1 + random.int(1_000_000)) * 1_000n * ONE;
    const y = (x * BigInt(200 + random.int(4_800))) / 1_000n;
    const spot = Number(solidlyStableSpot(x, y, 18, 18)!) / 1e36;
    const step = x / 1_000_000n;
    const paid = Number(contractOutput(step, x, y)) / Number(step);
    expect(Math.abs(paid / spot - 1)).toBeLessThan(1e-5);
    expect(roughSolidlyStableSpot(Number(x) / 1e18, Number(y) / 1e18) / spot).toBeCloseTo(1, 12);
    // Seen from the other side it is the inverse.
    const other = solidlyStableSpot(y, x, 18, 18)!;
    const product = solidlyStableSpot(x, y, 18, 18)! * other;
    expect(product <= ONE_E36 * ONE_E36 && product > ONE_E36 * (ONE_E36 - 10n * pow10(9))).toBe(true);
  });

  it('is null without reserves or where it cannot be stored', () => {
    expect(solidlyStableSpot(0n, ONE, 18, 18)).toBeNull();
    expect(solidlyStableSpot(ONE, 0n, 18, 18)).toBeNull();
    expect(solidlyStableSpot(1n, 10n ** 60n, 36, 0)).toBeNull();
  });
});
