import { readFileSync } from 'node:fs';
import { constantProductInput, constantProductOutput } from './constant-product.js';

const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8'));

interface OnChainSwap {
  txHash: string;
  reserveIn: string;
  reserveOut: string;
  amountIn: string;
  amountOut: string;
  exact_fee_match: Record<string, 'exactIn' | 'exactOut'>;
}

const ppm = (fee: string): number => {
  const [numerator, denominator] = fee.split('/').map(Number);
  return (numerator! * 1_000_000) / denominator!;
};

describe('constant product', () => {
  const { swaps } = fixture('v2-onchain-swaps.json') as { swaps: OnChainSwap[] };

  it('reproduces every recorded swap to the base unit', () => {
    expect(swaps.length).toBeGreaterThan(30);
    for (const swap of swaps) {
      const [reserveIn, reserveOut, amountIn, amountOut] = [
        swap.reserveIn,
        swap.reserveOut,
        swap.amountIn,
        swap.amountOut,
      ].map(BigInt);
      for (const [fee, kind] of Object.entries(swap.exact_fee_match)) {
        const got =
          kind === 'exactIn'
            ? constantProductOutput(amountIn!, reserveIn!, reserveOut!, ppm(fee))
            : constantProductInput(amountOut!, reserveIn!, reserveOut!, ppm(fee));
        expect([swap.txHash, fee, got]).toEqual([swap.txHash, fee, kind === 'exactIn' ? amountOut : amountIn]);
      }
    }
  });

  it('reproduces the quotes that other projects state', () => {
    const { quotes } = fixture('v2-quotes.json');
    expect(quotes.length).toBeGreaterThan(5);
    for (const quote of quotes) {
      const fee = ppm(`${quote.feeNumerator}/${quote.feeDenominator}`);
      const reserves = [BigInt(quote.reserveIn), BigInt(quote.reserveOut)] as const;
      if (quote.kind === 'exactIn') {
        const gross = constantProductOutput(BigInt(quote.amountIn), ...reserves, fee)!;
        // One vector states what arrives after the token's own transfer tax.
        const tax = (gross * BigInt(quote.buyTaxBpsOnOut ?? 0)) / 10_000n;
        expect(gross - tax).toBe(BigInt(quote.expectedAmountOut));
      } else {
        expect(constantProductInput(BigInt(quote.amountOut), ...reserves, fee)).toBe(BigInt(quote.expectedAmountIn));
      }
    }
  });

  it('gives null where the contract reverts', () => {
    expect(constantProductOutput(0n, 5n, 5n, 3000)).toBeNull();
    expect(constantProductOutput(1n, 0n, 5n, 3000)).toBeNull();
    expect(constantProductInput(5n, 5n, 5n, 3000)).toBeNull();
  });
});
