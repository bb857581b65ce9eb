import type { HeldQuotes } from '../src/held/held-quotes.js';
import { RouterHarness, WALLET } from './router-harness.js';

/** Builds over a store of held quotes that does not behave. */
describe('a held store that forgets nothing', () => {
  it('does not make a quote live longer', async () => {
    const all = new Map<string, string>();
    const store: HeldQuotes = {
      hold: (quoteId, json) => void all.set(quoteId, json),
      find: async (id) => all.get(id) ?? null,
    };
    const harness = await RouterHarness.start({ held: () => store });
    try {
      const quoteResponse = (await harness.quote()).body;
      const built = async () => (await harness.post('/evm/swap', { userPublicKey: WALLET, quoteResponse })).body.error;
      harness.clock.ms += 30_000;
      expect(await built()).toBeUndefined();
      harness.clock.ms += 1;
      expect(await built()).toBe('quote_expired');
    } finally {
      await harness.close();
    }
  });
});

describe('a held store that hangs', () => {
  it('is cut like everything else', async () => {
    const hanging: HeldQuotes = { hold: () => new Promise(() => undefined), find: () => new Promise(() => undefined) };
    const harness = await RouterHarness.start({ held: () => hanging, requestTimeoutMs: 200 });
    try {
      for (const answer of [
        await harness.quote(),
        await harness.post('/evm/swap', { userPublicKey: WALLET, quoteResponse: { quoteId: 'x' } }),
        await harness.post('/evm/swap', { userPublicKey: WALLET, ...harness.usual() }),
      ]) {
        expect([answer.status, answer.body]).toEqual([503, { error: 'rpc', reason: 'request_timeout' }]);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
    } finally {
      await harness.close();
    }
  });
});
