import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';
import { LastTrades, pairKey, type TradedPair } from './last-trades.js';
import { candleTrade } from './trade-side.js';

interface Block {
  facts: { kind: 'block'; seq: number; time: number; trades: TradeFact[] };
}

/** What is known of the view before is as good as a new question, wherever the tables are. */
describe('last trades of the wallets of a tail', () => {
  it.each(seeds(20))('are those of the tables, and only unknown ones are asked for (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const blocks: Block[] = [];
    const lastTrades = new LastTrades();
    let tables = 0;
    let carried = 0;
    for (let seq = 1; seq <= 60; seq++) {
      blocks.push({ facts: { kind: 'block', seq, time: seq * 1_000, trades: tradesOf(random) } });
      if (random.chance(0.3)) tables = random.int(tables, seq);
      const asked: TradedPair[] = [];
      const view = viewOf(blocks, tables, seq, asked);
      const pairs = new Map(pairsOf(blocks.slice(tables)).map((pair) => [pairKey(pair), pair]));
      const found = await lastTrades.of(view, 0, pairs);
      for (const [key, pair] of pairs)
        expect({ key, time: found.get(key) }).toEqual({ key, time: naive(blocks, tables, pair) });
      carried += pairs.size - asked.length;
      // A chain that is read from other tables, or further back, is asked about again.
      if (random.chance(0.1)) {
        const again: TradedPair[] = [];
        const other = viewOf(blocks, tables, seq, again);
        await lastTrades.of({ ...other, pin: { ...other.pin, generation: -seq } }, 0, pairs);
        expect(again).toHaveLength(pairs.size);
      }
    }
    expect(carried).toBeGreaterThan(0);
  });

  it('are known after a view of earlier was read, as after a further page of a list', async () => {
    const random = new SeededRandom(2);
    const blocks = [1, 2, 3, 4].map(
      (seq): Block => ({ facts: { kind: 'block', seq, time: seq, trades: tradesOf(random, 3) } }),
    );
    const lastTrades = new LastTrades();
    const pairs = new Map(pairsOf(blocks).map((pair) => [pairKey(pair), pair]));
    for (const [seq, count] of [
      [4, pairs.size],
      [3, pairs.size],
      [4, 0],
    ] as const) {
      const asked: TradedPair[] = [];
      await lastTrades.of(viewOf(blocks, 1, seq, asked), 0, pairs);
      expect(asked).toHaveLength(count);
    }
  });

  it('are asked for again where rows were taken back', async () => {
    const random = new SeededRandom(1);
    const blocks = [1, 2, 3, 4].map(
      (seq): Block => ({ facts: { kind: 'block', seq, time: seq, trades: tradesOf(random, 3) } }),
    );
    const lastTrades = new LastTrades();
    const pairs = new Map(pairsOf(blocks).map((pair) => [pairKey(pair), pair]));
    for (const retracted of [[], [{ fromSeq: 2, retractSeq: 3 }]]) {
      const asked: TradedPair[] = [];
      const view = viewOf(blocks, 1, 4, asked);
      await lastTrades.of({ ...view, tables: { ...view.tables, retracted } }, 0, pairs);
      expect(asked).toHaveLength(pairs.size);
    }
  });
});

function tradesOf(random: SeededRandom, count = random.int(0, 3)): TradeFact[] {
  return Array.from({ length: count }, () => {
    const base = random.pick(['aa', 'bb', 'cc']);
    const quote = random.pick(['aa', 'bb', 'cc'].filter((token) => token !== base));
    return {
      base,
      quote,
      side: random.pick(['buy', 'sell']),
      wallet: random.pick(['01', '02', '03', '04']),
    } as TradeFact;
  });
}

const pairsOf = (blocks: readonly Block[]): TradedPair[] =>
  blocks.flatMap(({ facts }) =>
    facts.trades.flatMap((trade) =>
      [trade.base, trade.quote].map((token) => ({
        ...{ token, wallet: trade.wallet },
        bought: candleTrade(trade, token).side === 'buy',
      })),
    ),
  );

function naive(blocks: readonly Block[], tables: number, pair: TradedPair): number {
  const own = blocks.slice(0, tables).filter((block) => pairsOf([block]).some((one) => pairKey(one) === pairKey(pair)));
  return Math.max(Number.NEGATIVE_INFINITY, ...own.map(({ facts }) => facts.time));
}

/** Tables with the blocks up to a seq, the others in the tail. */
function viewOf(blocks: readonly Block[], tables: number, seq: number, asked: TradedPair[]): ChainView {
  return {
    pin: { epoch: 1, generation: 1, seq },
    head: { time: seq * 1_000 },
    tables: { seq: tables, retracted: [] },
    groups: blocks.slice(tables, seq),
    reads: {
      lastTradesOf: async (_: unknown, from: number, pairs: readonly TradedPair[]) => {
        asked.push(...pairs);
        return pairs.map((pair) => ({ ...pair, time: naive(blocks, tables, pair) })).filter(({ time }) => time >= from);
      },
    },
  } as unknown as ChainView;
}
