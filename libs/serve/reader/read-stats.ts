import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import type { TradeVolumes } from '#libs/pipeline/fold/candles.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { StatsWindow } from '#libs/pipeline/store/market/stats-reads.js';
import type { ChainView } from './chain-view.js';
import { readPrices } from './read-prices.js';
import { candleTrade } from './trade-side.js';

/** Windows of block time that end with the view's block: (block time − window, block time]. */
export const statsWindows = { '5m': 300_000, '1h': 3_600_000, '6h': 21_600_000, '24h': 86_400_000 } as const;
export type StatsWindowName = keyof typeof statsWindows;

export interface TokenWindow extends Omit<TradeVolumes, 'volumeCoin'> {
  trades: number;
  buys: number;
  sells: number;
  buyers: number;
  sellers: number;
  /** USD price where the window begins; null when it had none. */
  priceBefore: E36 | null;
}

/**
 * Counts of a token over windows. Buyers and sellers are distinct wallets: those seen in the tail are named to the
 * tables, which count only the others, so that no wallet counts twice.
 */
export const readStats = (view: ChainView, token: Hex): Promise<Record<StatsWindowName, TokenWindow>> =>
  readWindows(view, token, (start) => priceAt(view, token, start));

/** The same of the trades of one pool; `priceAt` gives the USD price that the token had there at a time. */
export async function readWindows(
  view: ChainView,
  token: Hex,
  priceAt: (time: number) => Promise<E36 | null>,
  pool?: Hex,
): Promise<Record<StatsWindowName, TokenWindow>> {
  const names = Object.keys(statsWindows) as StatsWindowName[];
  const own = names.map((name) => new TailWindow(view, { token, pool }, view.head.time - statsWindows[name]));
  const asked = own.map((window) => window.rest());
  const [stored, prices] = await Promise.all([
    view.reads.tokenStats(view.tables, token, asked, pool),
    Promise.all(own.map((window) => priceAt(window.start))),
  ]);
  const windows = names.map((name, index) => {
    const [tail, rest] = [own[index]!, stored[index]!];
    const sum: TokenWindow = {
      volumeUsd: tail.volumeUsd + rest.volumeUsd,
      loopVolumeUsd: tail.loopVolumeUsd + rest.loopVolumeUsd,
      trades: tail.buys + tail.sells + rest.trades,
      buys: tail.buys + rest.buys,
      sells: tail.sells + rest.sells,
      buyers: tail.buyers.size + rest.buyers,
      sellers: tail.sellers.size + rest.sellers,
      priceBefore: prices[index]!,
    };
    return [name, sum] as const;
  });
  return Object.fromEntries(windows) as Record<StatsWindowName, TokenWindow>;
}

/** One window's trades that are in the tail: those after `start`. */
class TailWindow {
  readonly buyers = new Set<Hex>();
  readonly sellers = new Set<Hex>();
  volumeUsd = 0n;
  loopVolumeUsd = 0n;
  buys = 0;
  sells = 0;

  constructor(
    view: ChainView,
    { token, pool }: { token: Hex; pool?: Hex },
    readonly start: number,
  ) {
    for (const group of view.groups) {
      if (group.facts.time <= start) continue;
      for (const trade of group.tradesOf(token)) {
        if (pool !== undefined && trade.pool !== pool) continue;
        const { side, volumeUsd, loopVolumeUsd } = candleTrade(trade, token);
        this.volumeUsd += volumeUsd;
        this.loopVolumeUsd += loopVolumeUsd;
        if (side === 'buy') this.buys++;
        else this.sells++;
        (side === 'buy' ? this.buyers : this.sellers).add(trade.wallet);
      }
    }
  }

  /** What the tables are asked to add. */
  rest(): StatsWindow {
    return { fromTime: this.start + 1, countedBuyers: [...this.buyers], countedSellers: [...this.sellers] };
  }
}

async function priceAt(view: ChainView, token: Hex, time: number): Promise<E36 | null> {
  return tokenUsd(await readPrices(view, [token], time + 1), token);
}
