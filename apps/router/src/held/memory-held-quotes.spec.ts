import { QUOTE_ID_LENGTH } from './held-quotes.js';
import { MemoryHeldQuotes } from './memory-held-quotes.js';
import { held, heldQuotesContract, someQuote } from './test/held-quotes-contract.js';

describe('held quotes in memory', () => {
  describe('as every store', () =>
    heldQuotesContract(async () => {
      let now = 1_000;
      return {
        store: new MemoryHeldQuotes({ now: () => now }),
        pass: async (ms) => {
          now += ms;
        },
        close: async () => undefined,
      };
    }));

  it('holds until the last millisecond', async () => {
    let now = 0;
    const store = new MemoryHeldQuotes({ now: () => now });
    const inStore = held(store);
    const quote = someQuote();
    await inStore.hold(quote, 15_000);
    now = 15_000;
    expect(await inStore.find(quote.quoteId)).toEqual(quote);
    now = 15_001;
    expect(await inStore.find(quote.quoteId)).toBeNull();
  });

  it('keeps only what can still be found, however many come', async () => {
    let now = 0;
    const store = new MemoryHeldQuotes({ now: () => now });
    const inStore = held(store);
    for (let i = 0; i < 5_000; i++) {
      now += 10;
      await inStore.hold(someQuote(), i % 2 === 0 ? 1_500 : 3_000);
    }
    // 3 s at 100 a second, and no more than those that wait behind a longer life.
    expect(store.size).toBeLessThanOrEqual(301);
    expect(store.size).toBeGreaterThanOrEqual(225);
    now += 10_000;
    await inStore.hold(someQuote(), 1_000);
    expect(store.size).toBe(1);
  });

  it('finds every quote across the pieces it writes into', async () => {
    const store = new MemoryHeldQuotes({ now: () => 0 });
    const inStore = held(store);
    const quotes = Array.from({ length: 2_500 }, (_, i) => someQuote(String(i)));
    const large = { ...someQuote(), router: 'é'.repeat(1_500_000) };
    for (const [i, quote] of quotes.entries()) {
      if (i === 1_000) inStore.hold(large, 60_000);
      inStore.hold(quote, 60_000);
    }
    for (const quote of [...quotes, large]) expect(await inStore.find(quote.quoteId)).toEqual(quote);
  });

  it('uses memory again without mixing quotes up', async () => {
    let now = 0;
    const store = new MemoryHeldQuotes({ now: () => now });
    const inStore = held(store);
    const quotes: { quote: ReturnType<typeof someQuote>; until: number }[] = [];
    // Quiet and busy times take turns, so that what is written and what is let go of are never in step.
    for (let i = 0; i < 12_000; i++) {
      now += i % 3_000 < 1_500 ? 2 : 0;
      const quote = someQuote(String(i));
      inStore.hold(quote, 3_000);
      quotes.push({ quote, until: now + 3_000 });
      if (i % 1_000 !== 999) continue;
      const left = quotes.filter(({ until }) => until >= now);
      expect(left.length).toBeGreaterThanOrEqual(1_000);
      for (const { quote: expected } of left)
        expect((await inStore.find(expected.quoteId))?.outAmount).toBe(expected.outAmount);
    }
  });

  it('never grows past its bound; the oldest go first', async () => {
    const bytes = QUOTE_ID_LENGTH + Buffer.byteLength(JSON.stringify(someQuote()));
    const store = new MemoryHeldQuotes({ maxBytes: bytes * 10, now: () => 0 });
    const inStore = held(store);
    const quotes = Array.from({ length: 25 }, () => someQuote());
    for (const quote of quotes) {
      await inStore.hold(quote, 60_000);
      expect(store.bytes).toBeLessThanOrEqual(bytes * 10);
    }
    const found = await Promise.all(quotes.map(({ quoteId }) => inStore.find(quoteId)));
    expect(found.map((quote) => quote !== null)).toEqual(quotes.map((_, i) => i >= 15));
    for (let i = 0; i < 9; i++) inStore.hold(quotes[24]!, 60_000);
    expect([store.size, store.bytes]).toEqual([10, bytes * 10]);
    expect(await inStore.find(quotes[24]!.quoteId)).toEqual(quotes[24]);
  });
});
