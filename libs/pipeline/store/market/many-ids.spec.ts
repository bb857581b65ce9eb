import { servedMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { balances } from '#libs/pipeline/projections/balances/projection.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { AnalyticsStore } from '../store.js';
import type { TokenWallet } from './all-stats.js';

/** The tail of a busy chain names thousands of wallets, and the statements of both engines are bounded. */
describe('reads that name any number of wallets', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  let runs = 0;
  const world = async () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const market = servedMarket(seed, { family: 'evm', groups: 80, retractions: 0 });
    const { checkpoints, reads } = await written(store, market, ++runs, random);
    const { tables } = takeView(market, checkpoints.at(-1)!, reads, market.facts.length - 1)!;
    const blocks = market.facts.filter((group): group is FactsBlock => group.kind === 'block');
    return { seed, random, reads, tables, blocks };
  };
  const strangers = (count: number) => Array.from({ length: count }, (_, at) => at.toString(16).padStart(40, 'f'));

  it('finds the last trades of each', async () => {
    const { seed, random, reads, tables, blocks } = await world();
    const expected = new Map<string, TokenWallet & { time: number }>();
    for (const { time, trades } of blocks) {
      for (const { base, quote, side, wallet } of trades) {
        for (const [token, bought] of [
          [base, side === 'buy'],
          [quote, side === 'sell'],
        ] as const)
          expected.set(`${token} ${bought} ${wallet}`, { token, bought, wallet, time });
      }
    }
    const traded = [...expected.values()].map(({ token, bought, wallet }) => ({ token, bought, wallet }));
    const others = strangers(12_000).map((wallet) => ({ ...random.pick(traded), wallet }));
    const found = await reads.lastTradesOf(tables, 0, [...traded.slice(1), ...others, ...traded.slice(0, 1)]);
    const named = (rows: Iterable<TokenWallet & { time: number }>): string[] =>
      [...rows].map(({ token, bought, wallet, time }) => `${token} ${bought} ${wallet} ${time}`).sort();
    expect({ seed, found: [...new Set(named(found))] }).toEqual({ seed, found: named(expected.values()) });
  });

  it('finds the rows of each, in the order of their keys, or the first ones of each', async () => {
    const { seed, reads, tables, blocks } = await world();
    const { keyed } = balances;
    const wallets = [...new Set(blocks.flatMap((block) => (block.balances ?? []).map(({ wallet }) => wallet)))].sort();
    expect({ seed, many: wallets.length > 2 }).toEqual({ seed, many: true });
    const named = [...wallets.slice(1), ...strangers(12_000), ...wallets.slice(0, 1)];
    const rank = { by: 'amount', limit: 2, each: 'wallet' };
    const one = async (ranked: boolean) =>
      (
        await Promise.all(
          wallets.map((wallet) =>
            reads.keyedRows(tables, keyed, { wallet: { is: wallet } }, ranked ? rank : undefined),
          ),
        )
      ).flat();
    const rows = (await one(false)).sort((a, b) => (keyed.keyOf(a) < keyed.keyOf(b) ? -1 : 1));
    expect({ seed, rows: await reads.keyedRows(tables, keyed, { wallet: { in: named } }) }).toEqual({ seed, rows });
    const first = await reads.keyedRows(tables, keyed, { wallet: { in: named } }, rank);
    expect({ seed, first }).toEqual({ seed, first: await one(true) });
  });

  it('finds the pools and their states among any number', async () => {
    const { seed, reads, tables, blocks } = await world();
    const pools = [...new Set(blocks.flatMap((block) => block.pools.map(({ pool }) => pool)))].sort();
    const asked = [...pools.slice(1), ...strangers(12_000), ...pools.slice(0, 1)];
    const byPool = <Row extends { pool: string }>(rows: readonly Row[]) =>
      rows.toSorted((a, b) => (a.pool < b.pool ? -1 : 1));
    expect({ seed, pools: byPool(await reads.poolRecords(tables, asked)) }).toEqual({
      seed,
      pools: byPool(await reads.poolRecords(tables, pools)),
    });
    const states = await reads.poolStates(tables, asked);
    expect({ seed, states }).toEqual({ seed, states: await reads.poolStates(tables, pools) });
  });
});
