import type { FactsBlock } from '#libs/protocol/facts.js';
import { servedMarket, temporaryStore } from '#libs/testing/market/market-harness.js';
import { takeView, written } from '#libs/testing/market/written-market.js';
import { SeededRandom, testSeed } from '#libs/testing/seeded-random.js';
import type { AnalyticsStore } from '../store.js';
import type { TokenWallet } from './all-stats.js';

/** A tail of a busy chain names thousands of wallets; statements of the engines are bounded. */
describe('last trades of wallets', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  it('are found among any number of wallets', async () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const market = servedMarket(seed, { family: 'evm', groups: 80, retractions: 0 });
    const { checkpoints, reads } = await written(store, market, 1, random);
    const view = takeView(market, checkpoints.at(-1)!, reads, market.facts.length - 1)!;
    const expected = new Map<string, TokenWallet & { time: number }>();
    for (const { time, trades } of market.facts.filter((group): group is FactsBlock => group.kind === 'block')) {
      for (const { base, quote, side, wallet } of trades) {
        for (const [token, bought] of [
          [base, side === 'buy'],
          [quote, side === 'sell'],
        ] as const)
          expected.set(`${token} ${bought} ${wallet}`, { token, bought, wallet, time });
      }
    }
    const traded = [...expected.values()].map(({ token, bought, wallet }) => ({ token, bought, wallet }));
    const strangers = Array.from({ length: 12_000 }, (_, at) => ({
      ...{ token: random.pick(traded).token, bought: random.chance(0.5) },
      wallet: at.toString(16).padStart(40, 'f'),
    }));
    const asked = [...traded.slice(1), ...strangers, ...traded.slice(0, 1)];
    const found = await reads.lastTradesOf(view.tables, 0, asked);
    const named = (rows: Iterable<TokenWallet & { time: number }>): string[] =>
      [...rows].map(({ token, bought, wallet, time }) => `${token} ${bought} ${wallet} ${time}`).sort();
    expect({ seed, found: [...new Set(named(found))] }).toEqual({ seed, found: named(expected.values()) });
  });
});
