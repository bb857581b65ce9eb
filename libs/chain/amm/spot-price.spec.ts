import { formatDecimal, ONE_E36 } from '#libs/core/money.js';
import { concentratedSpot, constantProductSpot } from './spot-price.js';
import { sqrtRatioAtTick } from './tick-math.js';

describe('spot price', () => {
  it('counts whole tokens, whatever their decimals', () => {
    // 2 whole of an 18-decimals token against 5000 whole of a 6-decimals token
    expect(constantProductSpot(2n * 10n ** 18n, 5_000_000_000n, 18, 6)).toBe(2_500n * ONE_E36);
    expect(formatDecimal(constantProductSpot(5_000_000_000n, 2n * 10n ** 18n, 6, 18)!, 36)).toBe('0.0004');
  });

  it('reads a concentrated price from either side', () => {
    const price = 1n << 96n; // raw 1:1
    expect(concentratedSpot(price, true, 18, 6)).toBe(10n ** 12n * ONE_E36);
    expect(concentratedSpot(price, false, 6, 18)).toBe(10n ** 24n);
    expect(concentratedSpot(price * 2n, true, 8, 8)).toBe(4n * ONE_E36);
    expect(concentratedSpot(price * 2n, false, 8, 8)).toBe(ONE_E36 / 4n);
  });

  it('agrees with 1.0001^tick', () => {
    for (const tick of [-200_000, -1, 0, 1, 34_567, 200_000]) {
      const spot = Number(concentratedSpot(sqrtRatioAtTick(tick), true, 18, 18)!) / 1e36;
      expect(spot / 1.0001 ** tick).toBeCloseTo(1, 9);
    }
  });

  it('is null where there is no price or none that can be stored', () => {
    expect(constantProductSpot(0n, 5n, 18, 18)).toBeNull();
    expect(constantProductSpot(5n, 0n, 18, 18)).toBeNull();
    expect(concentratedSpot(0n, true, 18, 18)).toBeNull();
    expect(constantProductSpot(1n, 10n ** 60n, 36, 0)).toBeNull();
    expect(constantProductSpot(10n ** 60n, 1n, 0, 36)).toBeNull();
  });
});
