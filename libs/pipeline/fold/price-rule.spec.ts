import { ONE_E18, ONE_E36, pow10 } from '#libs/core/money.js';
import type { PricePart } from './backing.js';
import { marketCap, usdPrice, valueTrade } from './price-rule.js';
import { type PriceLookup, poolLiquidityUsd, TokenValues, tokenUsd } from './token-values.js';

interface Spot {
  quote: string;
  spot: bigint;
  reserve?: bigint;
}

/** Each token with its pools: a constant product with `reserve` quote tokens of 18 decimals. */
const lookup = (spots: Record<string, Spot | Spot[]>, pooled: Record<string, bigint> = {}): PriceLookup => ({
  reference: (token) => (token === 'coin' ? 2_000n * ONE_E36 : token === 'stable' ? ONE_E36 : undefined),
  backing: (token) => {
    const of = spots[token];
    if (of === undefined) return null;
    const parts = [of].flat().map(({ quote, spot, reserve = pow10(24) }, index): PricePart => {
      const base = (reserve * ONE_E36) / spot;
      return {
        pool: `${token}${index}`,
        quote,
        quoteDecimals: 18,
        spot,
        curve: { form: 'product', base, quote: reserve },
      };
    });
    return { decimals: 18, pooled: pooled[token] ?? 0n, parts };
  },
});

describe('price rule', () => {
  it('follows a pool to the coin, and a pool against a token that has one', () => {
    const prices = lookup({
      a: { quote: 'coin', spot: ONE_E36 / 4n },
      b: { quote: 'a', spot: 2n * ONE_E36 },
      c: { quote: 'b', spot: ONE_E36 },
      loop: { quote: 'loop', spot: ONE_E36 },
    });
    expect(tokenUsd(prices, 'coin')).toBe(2_000n * ONE_E36);
    expect(tokenUsd(prices, 'a')).toBe(500n * ONE_E36);
    expect(tokenUsd(prices, 'b')).toBe(1_000n * ONE_E36);
    expect(tokenUsd(prices, 'c')).toBeNull();
    expect(tokenUsd(prices, 'loop')).toBeNull();
    expect(tokenUsd(prices, 'unknown')).toBeNull();
  });

  it('is the price at which the pools would not trade against each other', () => {
    const deep = { quote: 'stable', spot: ONE_E36 };
    const apart = { quote: 'stable', spot: 10_000n * ONE_E36, reserve: 11n * pow10(18) };
    const price = Number(tokenUsd(lookup({ a: [deep, apart] }), 'a')) / 1e36;
    // Both pools as one trade of an arbitrageur would leave them: of a million at 1, and eleven at 10,000.
    const merged = (pools: { quote: number; spot: number }[]): number => {
      const product = (root: number) =>
        pools.reduce((sum, { quote, spot }) => sum + (quote / Math.sqrt(spot)) * (1 / root - 1 / Math.sqrt(spot)), 0);
      let [low, high] = [1e-4, 1_000];
      for (let k = 0; k < 200; k++) {
        const middle = (low + high) / 2;
        if (product(middle) > 0) low = middle;
        else high = middle;
      }
      return low * low;
    };
    expect(price).toBeCloseTo(
      merged([
        { quote: 1e6, spot: 1 },
        { quote: 11, spot: 10_000 },
      ]),
      9,
    );
    expect(price).toBeLessThan(1.000_03);
    const cheap = { quote: 'stable', spot: ONE_E36 / 10_000n, reserve: pow10(24) };
    expect(Number(tokenUsd(lookup({ a: [deep, cheap] }), 'a')) / 1e36).toBeCloseTo(
      merged([
        { quote: 1e6, spot: 1 },
        { quote: 1e6, spot: 1e-4 },
      ]),
      9,
    );
  });

  it('counts a token as money as far as it can be taken out, and once', () => {
    // Eleven dollars make a token dear; a million of it is in the pool of another one.
    const fake = { quote: 'stable', spot: 11n * pow10(42), reserve: 11n * pow10(18) };
    const victim = { quote: 'fake', spot: ONE_E36, reserve: pow10(24) };
    const values = new TokenValues(lookup({ fake, victim }, { fake: pow10(24) }));
    expect(values.exit('fake') + values.exit('victim')).toBeLessThanOrEqual(55n * pow10(17));
    expect(values.exit('victim')).toBeLessThan(2n * pow10(18));
    const pool = {
      token0: 'fake',
      token1: 'victim',
      reserve0: pow10(24),
      reserve1: pow10(24),
      decimals0: 18,
      decimals1: 18,
    };
    expect(poolLiquidityUsd(values, pool)!).toBeLessThanOrEqual(6n * pow10(18));
    expect(values.worth('fake', pow10(23), 18)!).toBeLessThan(6n * pow10(18));
    expect(values.about('fake').basis).toBe('thin');
  });

  it('leaves the worth of an honest quote as it is', () => {
    const hub = { quote: 'coin', spot: ONE_E36 / 1_000n, reserve: 10_000n * pow10(18) };
    const small = { quote: 'hub', spot: ONE_E36, reserve: 1_000n * pow10(18) };
    const values = new TokenValues(lookup({ hub, small }, { hub: 1_000n * pow10(18) }));
    const [rate, price] = [Number(values.rate('hub')), Number(values.usd('hub'))];
    expect(rate / price).toBeGreaterThan(0.98);
    expect(Number(values.exit('small')) / 1e18).toBeCloseTo(1_000, -2);
    expect(values.about('small')).toMatchObject({ basis: 'deep' });
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

  it('counts the money of a pool, and its token for no more than that', () => {
    const prices = lookup({ a: { quote: 'stable', spot: 5n * ONE_E36, reserve: 5n * pow10(18) } });
    const pool = {
      token0: 'a',
      token1: 'stable',
      reserve0: pow10(18),
      reserve1: 5n * pow10(6),
      decimals0: 18,
      decimals1: 6,
    };
    const values = new TokenValues(prices);
    expect(poolLiquidityUsd(values, pool)).toBe(10n * ONE_E18);
    expect(poolLiquidityUsd(values, { ...pool, reserve0: pow10(20) })).toBe(10n * ONE_E18);
    expect(poolLiquidityUsd(values, { ...pool, token0: 'unknown' })).toBe(5n * ONE_E18);
    expect(poolLiquidityUsd(values, { ...pool, token0: 'unknown', decimals1: null })).toBeNull();
  });
});
