import type { Hex } from '#libs/core/ids.js';
import type { RecentTrade } from '#libs/pipeline/store/market/recent-reads.js';
import type { RecentSums } from '#libs/pipeline/store/market/recent-sums.js';
import type { StatsWindow, WindowStats } from '#libs/pipeline/store/market/stats-reads.js';
import type { TailGroup } from '../tail-buffer.js';
import { candleTrade } from '../trade-side.js';
import type { HotState } from './hot-states.js';
import { RECENT_MS } from './price-steps.js';

const SUMS_BYTES = 200;
const WALLET_BYTES = 120;

/** Of less memory than this no state has more times, or more wallets. */
export const mostSums = (bytes: number): number => Math.floor(bytes / WALLET_BYTES);

/**
 * Sums over a token's newest trades, from either side of its swaps: however many there are, one row for each time. Invariant: a row has
 * the sums of all up to it, so that those of a window are a difference; and a wallet counts once as a buyer and once as a seller, in
 * the row of its last time, so that the wallets of a window are those of its rows.
 */
export class WindowSums implements HotState {
  private readonly rows: SumsRow[] = [];
  /** Where a wallet last bought, or sold. */
  private readonly buyers = new Map<Hex, SumsRow>();
  private readonly sellers = new Map<Hex, SumsRow>();

  constructor(
    private readonly token: Hex,
    private floor: number,
    /** It may take twice as much before it is given up. */
    private readonly mostBytes: number,
  ) {}

  static ofTrades(token: Hex, floor: number, mostBytes: number, trades: readonly RecentTrade[]): WindowSums {
    const sums = new WindowSums(token, floor, mostBytes);
    for (const trade of trades) sums.add(trade);
    return sums;
  }

  static ofSums(token: Hex, floor: number, mostBytes: number, { times, wallets }: RecentSums): WindowSums {
    const sums = new WindowSums(token, floor, mostBytes);
    const byTime = new Map<number, SumsRow>();
    for (const { time, volumeUsd, volumeCoin, loopVolumeUsd, trades, buys } of times) {
      const row = sums.rowAt(time);
      row.usd += volumeUsd;
      row.coin += volumeCoin;
      row.loops += loopVolumeUsd;
      row.trades += trades;
      row.buys += buys;
      byTime.set(time, row);
    }
    for (const { wallet, bought, sold } of wallets) {
      if (bought !== null) sums.seen('buyers', wallet, byTime.get(bought)!);
      if (sold !== null) sums.seen('sellers', wallet, byTime.get(sold)!);
    }
    return sums;
  }

  get bytes(): number {
    return this.rows.length * SUMS_BYTES + (this.buyers.size + this.sellers.size) * WALLET_BYTES;
  }

  reaches(windows: readonly StatsWindow[]): boolean {
    return windows.every(({ fromTime }) => fromTime >= this.floor);
  }

  stats(windows: readonly StatsWindow[]): WindowStats[] {
    const all = this.rows.at(-1) ?? NONE;
    return windows.map(({ fromTime, countedBuyers, countedSellers }) => {
      const first = this.firstFrom(fromTime);
      const before = this.rows[first - 1] ?? NONE;
      const [trades, buys] = [all.trades - before.trades, all.buys - before.buys];
      let [buyers, sellers] = [0, 0];
      for (let at = first; at < this.rows.length; at++) {
        buyers += this.rows[at]!.buyers;
        sellers += this.rows[at]!.sellers;
      }
      return {
        ...{ volumeUsd: all.usd - before.usd, volumeCoin: all.coin - before.coin },
        loopVolumeUsd: all.loops - before.loops,
        ...{ trades, buys, sells: trades - buys },
        buyers: buyers - among(countedBuyers, this.buyers, fromTime),
        sellers: sellers - among(countedSellers, this.sellers, fromTime),
      };
    });
  }

  apply(group: TailGroup): boolean {
    const { time } = group.facts;
    for (const trade of group.tradesOf(this.token)) {
      const { side, volumeUsd, volumeCoin, loopVolumeUsd } = candleTrade(trade, this.token);
      const { wallet } = trade;
      this.add({ time, wallet, bought: side === 'buy', volumeUsd, volumeCoin, loopVolumeUsd });
    }
    this.forget(time - RECENT_MS);
    return this.bytes < 2 * this.mostBytes;
  }

  private add({ time, wallet, bought, volumeUsd, volumeCoin, loopVolumeUsd }: Omit<RecentTrade, 'token'>): void {
    const row = this.rowAt(time);
    row.usd += volumeUsd;
    row.coin += volumeCoin;
    row.loops += loopVolumeUsd;
    row.trades++;
    if (bought) row.buys++;
    this.seen(bought ? 'buyers' : 'sellers', wallet, row);
  }

  /** The row of the newest time. */
  private rowAt(time: number): SumsRow {
    const last = this.rows.at(-1);
    if (last?.time === time) return last;
    const { usd, coin, loops, trades, buys } = last ?? NONE;
    const row = { time, usd, coin, loops, trades, buys, buyers: 0, sellers: 0 };
    this.rows.push(row);
    return row;
  }

  private seen(as: 'buyers' | 'sellers', wallet: Hex, row: SumsRow): void {
    const before = this[as].get(wallet);
    if (before !== undefined) before[as]--;
    row[as]++;
    this[as].set(wallet, row);
  }

  /** What no window reaches any more goes once it is a good part of all. The last row before stays: the others build on it. */
  private forget(floor: number): void {
    const gone = this.firstFrom(floor) - 1;
    if (gone < 64 || gone < this.rows.length / 4) return;
    this.rows.splice(0, gone);
    this.floor = Math.max(this.floor, floor);
    for (const wallets of [this.buyers, this.sellers]) {
      for (const [wallet, { time }] of wallets) if (time < floor) wallets.delete(wallet);
    }
  }

  /** Place of the first row at or after a time. */
  private firstFrom(time: number): number {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle]!.time < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface SumsRow {
  readonly time: number;
  usd: bigint;
  coin: bigint;
  loops: bigint;
  trades: number;
  buys: number;
  /** Wallets that have not bought, or sold, at a later time. */
  buyers: number;
  sellers: number;
}

const NONE: Omit<SumsRow, 'buyers' | 'sellers'> = { time: 0, usd: 0n, coin: 0n, loops: 0n, trades: 0, buys: 0 };

/** How many of the wallets are there at or after a time. */
function among(wallets: readonly Hex[] = [], last: ReadonlyMap<Hex, SumsRow>, fromTime: number): number {
  let number = 0;
  for (const wallet of new Set(wallets)) if ((last.get(wallet)?.time ?? Number.NEGATIVE_INFINITY) >= fromTime) number++;
  return number;
}
