import { ONE_E18, ONE_E36, pow10 } from '#libs/core/money.js';
import {
  marketCap,
  type PriceLookup,
  poolLiquidityUsd,
  type SpotPrice,
  tokenUsd,
  usdPrice,
  valueTrade,
} from './price-rule.js';

const lookup = (spots: Record<string, SpotPrice>): PriceLookup => ({
  reference: (token) => (token === 'coin' ? 2_000n * ONE_E36 : token === 'stable' ? ONE_E36 : undefined),
  spot: (token) => spots[token],
});

describe('price rule', () => {
  it('walks at most three spots to a reference price', () => {
    const prices = lookup({
      a: { quote: 'coin', spot: ONE_E36 / 4n },
      b: { quote: 'a', spot: 2n * ONE_E36 },
      c: { quote: 'b', spot: ONE_E36 },
      d: { quote: 'c', spot: ONE_E36 },
      loop: { quote: 'loop', spot: ONE_E36 },
    });
    expect(tokenUsd(prices, 'coin')).toBe(2_000n * ONE_E36);
    expect(tokenUsd(prices, 'a')).toBe(500n * ONE_E36);
    expect(tokenUsd(prices, 'b')).toBe(1_000n * ONE_E36);
    expect(tokenUsd(prices, 'c')).toBe(1_000n * ONE_E36);
    expect(tokenUsd(prices, 'd')).toBeNull();
    expect(tokenUsd(prices, 'loop')).toBeNull();
    expect(tokenUsd(prices, 'unknown')).toBeNull();
  });

  it('has no price that no market can have', () => {
    const prices = lookup({
      top: { quote: 'stable', spot: pow10(9) * ONE_E36 },
      over: { quote: 'stable', spot: pow10(9) * ONE_E36 + 1n },
      under: { quote: 'over', spot: 1n },
    });
    expect(tokenUsd(prices, 'top')).toBe(pow10(45));
    expect(tokenUsd(prices, 'over')).toBeNull();
    expect(tokenUsd(prices, 'under')).toBeNull();
    expect(marketCap(ONE_E36, pow10(13), 0)).toBe(pow10(13) * ONE_E18);
    expect(marketCap(ONE_E36, pow10(13) + 1n, 0)).toBeNull();
    expect(marketCap(pow10(45) + 1n, 1n, 18)).toBeNull();
    expect(marketCap(ONE_E36, null, 18)).toBeNull();
    expect(marketCap(3n * ONE_E36, 5n * pow10(17), 18)).toBe(15n * pow10(17));
  });

  it('values a trade by its quote side', () => {
    const amounts = { baseAmount: 4n * pow10(6), quoteAmount: 2n * pow10(18), baseDecimals: 6, quoteDecimals: 18 };
    expect(valueTrade(amounts, 2_000n * ONE_E36, 2_000n * ONE_E36)).toEqual({
      priceUsd: 1_000n * ONE_E36,
      volumeUsd: 4_000n * ONE_E18,
      volumeCoin: 2n * ONE_E18,
    });
    expect(valueTrade(amounts, null, ONE_E36)).toEqual({ priceUsd: null, volumeUsd: null, volumeCoin: null });
    expect(valueTrade(amounts, ONE_E36, null)).toMatchObject({ volumeUsd: 2n * ONE_E18, volumeCoin: null });
    const absurd = { ...amounts, quoteAmount: pow10(32) };
    expect(valueTrade(absurd, ONE_E36, ONE_E36)).toEqual({ priceUsd: null, volumeUsd: null, volumeCoin: null });
    expect(valueTrade({ ...amounts, baseAmount: 1n }, 2_000n * ONE_E36, null)).toMatchObject({
      priceUsd: null,
      volumeUsd: 4_000n * ONE_E18,
    });
  });

  it('rounds once, towards zero', () => {
    expect(usdPrice(1n, ONE_E36 - 1n)).toBe(0n);
    expect(usdPrice(3n, ONE_E36 / 2n)).toBe(1n);
  });

  it('sums both sides of a pool, and the one it knows', () => {
    const prices = lookup({ a: { quote: 'coin', spot: ONE_E36 } });
    const pool = {
      token0: 'a',
      token1: 'stable',
      reserve0: pow10(18),
      reserve1: 5n * pow10(6),
      decimals0: 18,
      decimals1: 6,
    };
    expect(poolLiquidityUsd(prices, pool)).toBe(2_005n * ONE_E18);
    expect(poolLiquidityUsd(prices, { ...pool, token0: 'unknown' })).toBe(5n * ONE_E18);
    expect(poolLiquidityUsd(prices, { ...pool, token0: 'unknown', decimals1: null })).toBeNull();
  });
});
