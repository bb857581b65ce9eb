import type { Hex } from '#libs/core/ids.js';
import type { RecentTrade } from '#libs/store/market/recent-reads.js';
import type { StatsWindow, WindowStats } from '#libs/store/market/stats-reads.js';
import type { TailGroup } from '../tail-buffer.js';
import { candleTrade } from '../trade-side.js';
import type { HotState } from './hot-states.js';
import { RECENT_MS } from './price-steps.js';

/** Trades of a token since some time that are held at most. */
export const MOST_TRADES = 20_000;

/** Sums over a token's newest trades, from either side of its swaps. Each trade has the sums up to it, so that a window is a difference. */
export class WindowTrades implements HotState {
  private readonly sums: RecentSums[] = [];
  /** The newest time at which a wallet bought, or sold. */
  private readonly buyers = new Map<Hex, number>();
  private readonly sellers = new Map<Hex, number>();

  constructor(
    private readonly token: Hex,
    private floor: number,
    trades: readonly RecentTrade[],
  ) {
    for (const trade of trades) this.add(trade);
  }

  get bytes(): number {
    return this.sums.length * 270 + (this.buyers.size + this.sellers.size) * 200;
  }

  reaches(windows: readonly StatsWindow[]): boolean {
    return windows.every(({ fromTime }) => fromTime >= this.floor);
  }

  stats(windows: readonly StatsWindow[]): WindowStats[] {
    const all = this.sums.at(-1) ?? NONE;
    return windows.map(({ fromTime, countedBuyers, countedSellers }) => {
      const before = this.sums[this.firstFrom(fromTime) - 1] ?? NONE;
      const [trades, buys] = [all.trades - before.trades, all.buys - before.buys];
      return {
        ...{ volumeUsd: all.usd - before.usd, volumeCoin: all.coin - before.coin },
        ...{ trades, buys, sells: trades - buys },
        buyers: count(this.buyers, fromTime, countedBuyers),
        sellers: count(this.sellers, fromTime, countedSellers),
      };
    });
  }

  apply(group: TailGroup): boolean {
    const { time } = group.facts;
    for (const trade of group.tradesOf(this.token)) {
      const { side, volumeUsd, volumeCoin } = candleTrade(trade, this.token);
      const { wallet } = trade;
      this.add({ time, wallet, bought: side === 'buy', volumeUsd: volumeUsd ?? 0n, volumeCoin: volumeCoin ?? 0n });
    }
    this.forget(time - RECENT_MS);
    return this.sums.length < 2 * MOST_TRADES;
  }

  private add({ time, wallet, bought, volumeUsd, volumeCoin }: Omit<RecentTrade, 'token'>): void {
    const { usd, coin, trades, buys } = this.sums.at(-1) ?? NONE;
    this.sums.push({
      ...{ time, usd: usd + volumeUsd, coin: coin + volumeCoin },
      ...{ trades: trades + 1, buys: buys + (bought ? 1 : 0) },
    });
    (bought ? this.buyers : this.sellers).set(wallet, time);
  }

  /** What no window reaches any more goes once it is a good part of all. The last sums before stay: the others build on them. */
  private forget(floor: number): void {
    const gone = this.firstFrom(floor) - 1;
    if (gone < 64 || gone < this.sums.length / 4) return;
    this.sums.splice(0, gone);
    this.floor = Math.max(this.floor, floor);
    for (const wallets of [this.buyers, this.sellers]) {
      for (const [wallet, time] of wallets) if (time < floor) wallets.delete(wallet);
    }
  }

  /** Place of the first trade at or after a time. */
  private firstFrom(time: number): number {
    let [low, high] = [0, this.sums.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sums[middle]!.time < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface RecentSums {
  time: number;
  usd: bigint;
  coin: bigint;
  trades: number;
  buys: number;
}

const NONE: RecentSums = { time: 0, usd: 0n, coin: 0n, trades: 0, buys: 0 };

function count(wallets: ReadonlyMap<Hex, number>, fromTime: number, without: readonly Hex[] = []): number {
  let number = 0;
  for (const time of wallets.values()) if (time >= fromTime) number++;
  for (const wallet of new Set(without)) if ((wallets.get(wallet) ?? Number.NEGATIVE_INFINITY) >= fromTime) number--;
  return number;
}
