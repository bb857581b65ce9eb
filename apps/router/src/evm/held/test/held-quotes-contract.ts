import { randomUUID } from 'node:crypto';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { HeldQuotes } from '../../ports.js';

export interface HeldUnderTest {
  readonly store: HeldQuotes;
  /** Lets time pass for the store. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export function someQuote(outAmount = '1'): EvmQuote {
  return {
    inputMint: `0x${'e'.repeat(40)}`,
    inAmount: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    outputMint: `0x${'a'.repeat(40)}`,
    outAmount,
    otherAmountThreshold: '0',
    swapMode: 'ExactIn',
    slippageBps: 50,
    priceImpactPct: '0',
    routePlan: [
      {
        swapInfo: {
          ammKey: `0x${'b'.repeat(40)}`,
          label: 'Uniswap V3 “ü”',
          inputMint: `0x${'c'.repeat(40)}`,
          inAmount: '1',
          outputMint: `0x${'a'.repeat(40)}`,
          outAmount,
          feeAmount: '0',
          feeMint: `0x${'c'.repeat(40)}`,
        },
        percent: 100,
        bps: 10_000,
        fee: 500,
        venueId: 'eth-uniswap-v3',
      },
    ],
    contextSlot: 19_000_000,
    timeTaken: 0.000123,
    quoteId: randomUUID(),
    chain: 'eth',
    chainId: 1,
    router: `0x${'d'.repeat(40)}`,
    gasEstimate: '100000',
    blockHash: `0x${'1'.repeat(64)}`,
    expiresAt: '2026-01-01T00:00:00.000Z',
    candidates: 3,
  };
}

/** What every store of held quotes does. */
export function heldQuotesContract(open: () => Promise<HeldUnderTest>): void {
  let held: HeldUnderTest;
  beforeEach(async () => {
    held = await open();
  });
  afterEach(() => held.close());

  it('finds what was held, value for value, any number of times', async () => {
    const quotes = Array.from({ length: 20 }, (_, i) => someQuote(String(i)));
    for (const [i, quote] of quotes.entries()) {
      await held.store.hold(quote, 60_000, i % 2 === 0 ? undefined : JSON.stringify(quote));
    }
    for (let i = 0; i < 2; i++) {
      for (const quote of quotes) expect(await held.store.find(quote.quoteId)).toEqual(quote);
    }
  });

  it('keeps what was held, not what the caller does with it later', async () => {
    const quote = someQuote('7');
    await held.store.hold(quote, 60_000);
    quote.outAmount = '8';
    (await held.store.find(quote.quoteId))!.outAmount = '9';
    expect((await held.store.find(quote.quoteId))!.outAmount).toBe('7');
  });

  it('knows nothing of what is no id', async () => {
    const breaking = '8f14e45f-ceea-4e7a-9c3b-1a2b3c4d5e6f\r\nFLUSHALL';
    const quote = someQuote();
    await held.store.hold(quote, 60_000);
    for (const id of ['', 'x', '__proto__', '*', 'a'.repeat(100_000), breaking]) {
      expect(await held.store.find(id)).toBeNull();
    }
    expect(await held.store.find(quote.quoteId)).toEqual(quote);
  });

  it('knows no id that it never held', async () => {
    expect(await held.store.find(randomUUID())).toBeNull();
  });

  it('lets each go at the end of its own time', async () => {
    const [short, long] = [someQuote('1'), someQuote('2')];
    await held.store.hold(short, 2_000);
    await held.store.hold(long, 60_000);
    expect(await held.store.find(short.quoteId)).toEqual(short);
    await held.pass(2_100);
    expect(await held.store.find(short.quoteId)).toBeNull();
    expect(await held.store.find(long.quoteId)).toEqual(long);
  });
}
