import type { Hex } from '#libs/core/ids.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { RecentTrade } from '#libs/pipeline/store/market/recent-reads.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { TailGroup } from '../tail-buffer.js';
import { RECENT_MS } from './price-steps.js';
import { WindowSums } from './window-sums.js';

const TOKEN = 'aa';
const DAY_MS = 86_400_000;

/** Windows of trades that come over some days, of whichever form the first were loaded in, are those of the single trades. */
describe('window sums', () => {
  it.each(seeds(20))('are what the trades give (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    const wallets = Array.from({ length: random.int(1, 40) }, () => random.hex(20));
    const step = random.pick([1_000, 600_000, 3_600_000]);
    const trades: RecentTrade[] = [];
    let time = 1_700_000_000_000;
    const next = (): RecentTrade[] => {
      time += step * random.int(0, 2);
      return Array.from({ length: random.int(0, 4) }, () => ({
        ...{ token: TOKEN, time, wallet: random.pick(wallets), bought: random.chance(0.5) },
        ...(random.chance(0.2)
          ? { volumeUsd: 0n, volumeCoin: 0n, loopVolumeUsd: BigInt(random.int(0, 1_000)) }
          : { volumeUsd: BigInt(random.int(0, 1_000)), volumeCoin: BigInt(random.int(0, 1_000)), loopVolumeUsd: 0n }),
      }));
    };
    for (let block = 0; block < 100; block++) trades.push(...next());
    const floor = time - RECENT_MS;
    const recent = trades.filter((trade) => trade.time >= floor);
    const held = [
      WindowSums.ofTrades(TOKEN, floor, 1_000_000, recent),
      WindowSums.ofSums(TOKEN, floor, 1_000_000, summed(recent)),
    ];
    for (let block = 0; block < 400; block++) {
      const fresh = next();
      trades.push(...fresh);
      for (const sums of held) expect(sums.apply(groupOf(time, fresh))).toBe(true);
      if (block % 10 !== 0) continue;
      const windows = [0, random.int(0, 100), random.int(0, DAY_MS), DAY_MS].map((length) => ({
        fromTime: time - length + 1,
        countedBuyers: wallets.filter(() => random.chance(0.3)),
        countedSellers: wallets.filter(() => random.chance(0.3)),
      }));
      const expected = windows.map((window) => naive(trades, window));
      for (const sums of held) {
        expect(sums.reaches(windows)).toBe(true);
        expect(sums.stats(windows)).toEqual(expected);
      }
    }
  });

  it('forget what no window reaches, and are given up once they take too much', () => {
    const sums = new WindowSums(TOKEN, 0, 100_000);
    const trade = (time: number, wallet: Hex): RecentTrade => ({
      ...{ token: TOKEN, time, wallet, bought: true, volumeUsd: 1n, volumeCoin: 1n, loopVolumeUsd: 0n },
    });
    const idOf = (number: number): Hex => number.toString(16).padStart(40, '0');
    for (let hour = 0; hour < 2_000; hour++) {
      const time = hour * 3_600_000;
      expect(sums.apply(groupOf(time, [trade(time, idOf(hour))]))).toBe(true);
    }
    expect(sums.bytes).toBeLessThan(60_000);
    expect(sums.reaches([{ fromTime: 0 }])).toBe(false);
    const last = 2_000 * 3_600_000;
    const crowd = Array.from({ length: 2_000 }, (_, number) => trade(last, idOf(number)));
    expect(sums.apply(groupOf(last, crowd))).toBe(false);
  });
});

interface Window {
  fromTime: number;
  countedBuyers: readonly Hex[];
  countedSellers: readonly Hex[];
}

function naive(trades: readonly RecentTrade[], { fromTime, countedBuyers, countedSellers }: Window) {
  const inside = trades.filter(({ time }) => time >= fromTime);
  const [buys, sells] = [inside.filter(({ bought }) => bought), inside.filter(({ bought }) => !bought)];
  const others = (of: readonly RecentTrade[], counted: readonly Hex[]): number =>
    new Set(of.flatMap(({ wallet }) => (counted.includes(wallet) ? [] : [wallet]))).size;
  return {
    volumeUsd: inside.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0n),
    volumeCoin: inside.reduce((sum, { volumeCoin }) => sum + volumeCoin, 0n),
    loopVolumeUsd: inside.reduce((sum, { loopVolumeUsd }) => sum + loopVolumeUsd, 0n),
    ...{ trades: inside.length, buys: buys.length, sells: sells.length },
    ...{ buyers: others(buys, countedBuyers), sellers: others(sells, countedSellers) },
  };
}

/** As the tables give them. */
function summed(trades: readonly RecentTrade[]) {
  const last = (of: readonly RecentTrade[]): number | null => of.at(-1)?.time ?? null;
  return {
    times: [...new Set(trades.map(({ time }) => time))].map((time) => {
      const inside = trades.filter((trade) => trade.time === time);
      const { buyers: _, sellers: __, sells: ___, ...sums } = naive(inside, { fromTime: time, ...NOBODY });
      return { time, ...sums };
    }),
    wallets: [...new Set(trades.map(({ wallet }) => wallet))].map((wallet) => {
      const own = trades.filter((trade) => trade.wallet === wallet);
      return {
        wallet,
        bought: last(own.filter(({ bought }) => bought)),
        sold: last(own.filter(({ bought }) => !bought)),
      };
    }),
  };
}

const NOBODY = { countedBuyers: [], countedSellers: [] };

/** Each trade from one of the two sides. */
function groupOf(time: number, trades: readonly RecentTrade[]): TailGroup {
  const facts = trades.map(({ wallet, bought, volumeUsd, volumeCoin, loopVolumeUsd }, index) => ({
    ...(index % 2 === 0
      ? { base: TOKEN, quote: 'bb', side: bought ? 'buy' : 'sell' }
      : { base: 'bb', quote: TOKEN, side: bought ? 'sell' : 'buy' }),
    ...{ wallet, volumeUsd: volumeUsd + loopVolumeUsd, volumeCoin, uncounted: loopVolumeUsd > 0n ? 'reverted' : null },
  }));
  return new TailGroup({ kind: 'block', time, trades: facts } as unknown as FactsBlock);
}
