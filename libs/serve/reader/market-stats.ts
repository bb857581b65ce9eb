import type { Hex } from '#libs/core/ids.js';
import type { E18 } from '#libs/core/money.js';
import type { CandleTrade } from '#libs/pipeline/fold/candles.js';
import type { WindowCounts } from '#libs/pipeline/store/market/all-stats.js';
import type { ChainView } from './chain-view.js';
import { LastTrades, pairKey, type TradedPair } from './last-trades.js';
import type { LayeredMap } from './layered-map.js';
import { statsWindows } from './read-stats.js';
import { StoredStats } from './stored-stats.js';
import { candleTrade } from './trade-side.js';

/** Counts of one token over the windows of `statsWindows`, by their place; `sells` is what is left of the trades. */
export interface MarketCounts {
  of(window: number): WindowCounts;
}

const lengths = Object.values(statsWindows);

/**
 * Counts of every traded token over the windows of `statsWindows`: those of the tables and those of the
 * tail. A wallet of the tail is a new buyer, or seller, of a window only when the tables do not count it there already.
 */
export async function readMarketStats(
  view: ChainView,
  storedStats = new StoredStats(),
  lastTrades = new LastTrades(),
): Promise<LayeredMap<MarketCounts>> {
  const starts = lengths.map((length) => view.head.time - length);
  const earliest = Math.min(...starts) + 1;
  const tail = new TailCounts(view, starts);
  const [stored, lastTimes] = await Promise.all([
    storedStats.read(
      view,
      starts.map((start) => start + 1),
    ),
    lastTrades.of(view, earliest, tail.wallets),
  ]);
  const counts: LayeredMap<MarketCounts> = stored;
  for (const [token, windows] of tail.counts) {
    const inTables = stored.get(token);
    counts.set(token, {
      of: (index) => {
        const own = windows[index]!;
        const rest = inTables?.of(index);
        const fresh = (bought: boolean, wallets: ReadonlySet<Hex>) => {
          let count = 0;
          for (const wallet of wallets) {
            if (lastTimes.get(pairKey({ token, bought, wallet }))! <= starts[index]!) count++;
          }
          return count;
        };
        return {
          volumeUsd: own.volumeUsd + (rest?.volumeUsd ?? 0n),
          loopVolumeUsd: own.loopVolumeUsd + (rest?.loopVolumeUsd ?? 0n),
          trades: own.trades + (rest?.trades ?? 0),
          buys: own.buys + (rest?.buys ?? 0),
          buyers: fresh(true, own.buyers) + (rest?.buyers ?? 0),
          sellers: fresh(false, own.sellers) + (rest?.sellers ?? 0),
        };
      },
    });
  }
  return counts;
}

interface TailWindow {
  volumeUsd: E18;
  loopVolumeUsd: E18;
  trades: number;
  buys: number;
  buyers: Set<Hex>;
  sellers: Set<Hex>;
}

/** The trades of the tail, counted for both of their tokens. */
class TailCounts {
  readonly counts = new Map<Hex, TailWindow[]>();
  readonly wallets = new Map<string, TradedPair>();

  constructor(
    view: ChainView,
    private readonly starts: readonly number[],
  ) {
    for (const { facts } of view.groups) {
      if (facts.kind !== 'block') continue;
      for (const trade of facts.trades) {
        for (const token of [trade.base, trade.quote]) {
          this.add(token, facts.time, trade.wallet, candleTrade(trade, token));
        }
      }
    }
  }

  private add(token: Hex, time: number, wallet: Hex, { side, volumeUsd, loopVolumeUsd }: CandleTrade): void {
    const bought = side === 'buy';
    let windows = this.counts.get(token);
    if (windows === undefined) {
      windows = this.starts.map(() => ({
        ...{ volumeUsd: 0n, loopVolumeUsd: 0n, trades: 0, buys: 0 },
        ...{ buyers: new Set<Hex>(), sellers: new Set<Hex>() },
      }));
      this.counts.set(token, windows);
    }
    windows.forEach((window, index) => {
      if (time <= this.starts[index]!) return;
      window.volumeUsd += volumeUsd;
      window.loopVolumeUsd += loopVolumeUsd;
      window.trades++;
      if (bought) window.buys++;
      (bought ? window.buyers : window.sellers).add(wallet);
    });
    const pair = { token, bought, wallet };
    this.wallets.set(pairKey(pair), pair);
  }
}
