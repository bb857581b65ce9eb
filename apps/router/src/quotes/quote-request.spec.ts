import { QuoteRequestCache } from './quote-request.js';

const parameters = (amount: bigint) => ({ amount });

describe('requests by their text', () => {
  it('are read once for the same text', () => {
    const known = new QuoteRequestCache<{ amount: bigint }, object>();
    let read = 0;
    const of = (text: string) => known.of(text, () => parameters(BigInt(++read)));
    const first = of('a');
    expect(of('b').parameters.amount).toBe(2n);
    expect(of('a')).toBe(first);
    expect([first.parameters.amount, read]).toEqual([1n, 2]);
  });

  it('are none of those that were refused', () => {
    const known = new QuoteRequestCache<{ amount: bigint }, object>();
    const refused = () => {
      throw new Error('amount is required');
    };
    for (let i = 0; i < 2; i++) expect(() => known.of('a', refused)).toThrow('amount is required');
    expect(known.size).toBe(0);
    expect(known.of('a', () => parameters(1n)).parameters.amount).toBe(1n);
  });

  it('are bounded; what is asked all the time stays', () => {
    const known = new QuoteRequestCache<{ amount: bigint }, object>();
    const polled = known.of('polled', () => parameters(0n));
    let largest = 0;
    for (let i = 0; i < 10_000; i++) {
      known.of(`once ${i}`, () => parameters(1n));
      if (i % 500 === 0) {
        const again = known.of('polled', () => {
          throw new Error('forgotten');
        });
        expect(again).toBe(polled);
      }
      largest = Math.max(largest, known.size);
    }
    expect(largest).toBeLessThanOrEqual(2_048);
    let read = 0;
    known.of('once 0', () => parameters(BigInt(++read)));
    expect(read).toBe(1);
  });

  it('are none of those whose text is long', () => {
    const known = new QuoteRequestCache<{ amount: bigint }, object>();
    const text = 'x'.repeat(1_001);
    const first = known.of(text, () => parameters(1n));
    expect(known.of(text, () => parameters(2n))).not.toBe(first);
    expect(known.size).toBe(0);
  });
});
