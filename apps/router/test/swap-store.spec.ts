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
