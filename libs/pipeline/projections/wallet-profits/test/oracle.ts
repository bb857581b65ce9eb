import type { FactsBlock } from '#libs/protocol/facts.js';
import { type NaiveTrade, naiveLedgers, naiveProfit } from '../../positions/test/oracle.js';
import { HOUR_MS, type WalletProfit } from '../projection.js';

/** What each wallet realised in each hour of these blocks, from the ledgers of all its tokens. In no order. */
export function naiveProfits(blocks: readonly FactsBlock[]): WalletProfit[] {
  const trades = naiveLedgers(blocks).flatMap((ledger) => ledger.trades);
  const hourOf = ({ time }: NaiveTrade): number => Math.floor(time / HOUR_MS);
  const groups = new Map<string, NaiveTrade[]>();
  for (const trade of trades) {
    const key = `${trade.wallet} ${hourOf(trade)}`;
    groups.set(key, [...(groups.get(key) ?? []), trade]);
  }
  return [...groups.values()].map((all) => {
    const profits = (of: readonly NaiveTrade[]): bigint[] =>
      of.filter(({ bought }) => !bought).flatMap((sale) => naiveProfit(sale) ?? []);
    const sum = (values: readonly (bigint | null)[]) => values.reduce<bigint>((total, one) => total + (one ?? 0n), 0n);
    const own = all.filter(({ base }) => base);
    const buys = own.filter(({ bought }) => bought);
    const sells = own.filter(({ bought }) => !bought);
    const times = all.map(({ time }) => time);
    return {
      ...{ wallet: all[0]!.wallet, hour: hourOf(all[0]!) },
      gainUsd: sum(profits(all).filter((profit) => profit > 0n)),
      lossUsd: -sum(profits(all).filter((profit) => profit < 0n)),
      boughtUsd: sum(buys.map(({ usd }) => usd)),
      soldUsd: sum(sells.map(({ usd }) => usd)),
      unpricedUsd: sum(sells.map(({ usd, priced, units }) => usd && usd - (usd * priced) / units)),
      ...{ buys: buys.length, sells: sells.length, closes: profits(all).length },
      wins: profits(all).filter((profit) => profit > 0n).length,
      ...{ firstTradeAt: Math.min(...times), lastTradeAt: Math.max(...times) },
    };
  });
}
