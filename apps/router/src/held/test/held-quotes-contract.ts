import { randomUUID } from 'node:crypto';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { HeldQuotes } from '../held-quotes.js';

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
    impactBps: 12,
    inUsd: 1.5,
    outUsd: null,
    warnings: ['high_impact'],
  };
}

/** A store as its callers use it: quotes in, quotes out. */
export const held = (store: HeldQuotes) => ({
  hold: (quote: EvmQuote, lifetimeMs: number) => store.hold(quote.quoteId, JSON.stringify(quote), lifetimeMs),
  find: async (quoteId: string): Promise<EvmQuote | null> => {
    const json = await store.find(quoteId);
    return json === null ? null : JSON.parse(json);
  },
});

/** What every store of held quotes does. */
export function heldQuotesContract(open: () => Promise<HeldUnderTest>): void {
  let opened: HeldUnderTest;
  let quotes: ReturnType<typeof held>;
  beforeEach(async () => {
    opened = await open();
    quotes = held(opened.store);
  });
  afterEach(() => opened.close());

  it('finds what was held, value for value, any number of times', async () => {
    const some = Array.from({ length: 20 }, (_, i) => someQuote(String(i)));
    for (const quote of some) await quotes.hold(quote, 60_000);
    for (let i = 0; i < 2; i++) {
      for (const quote of some) expect(await quotes.find(quote.quoteId)).toEqual(quote);
    }
  });

  it('finds the very text that was held', async () => {
    const { quoteId } = someQuote();
    const json = '{ "b": "ü“", "a": 1.50 }';
    await opened.store.hold(quoteId, json, 60_000);
    expect(await opened.store.find(quoteId)).toBe(json);
  });

  it('knows nothing of what is no id', async () => {
    const breaking = '8f14e45f-ceea-4e7a-9c3b-1a2b3c4d5e6f\r\nFLUSHALL';
    const quote = someQuote();
    await quotes.hold(quote, 60_000);
    for (const id of ['', 'x', '__proto__', '*', 'a'.repeat(100_000), breaking]) {
      expect(await quotes.find(id)).toBeNull();
    }
    expect(await quotes.find(quote.quoteId)).toEqual(quote);
  });

  it('knows no id that it never held', async () => {
    expect(await quotes.find(randomUUID())).toBeNull();
  });

  it('lets each go at the end of its own time', async () => {
    const [short, long] = [someQuote('1'), someQuote('2')];
    await quotes.hold(long, 600_000);
    await quotes.hold(short, 600_000);
    expect(await quotes.find(short.quoteId)).toEqual(short);
    await quotes.hold(short, 1_000);
    await opened.pass(1_100);
    expect(await quotes.find(short.quoteId)).toBeNull();
    expect(await quotes.find(long.quoteId)).toEqual(long);
  });
}
