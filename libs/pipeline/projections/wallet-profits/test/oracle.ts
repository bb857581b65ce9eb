import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { naiveLinkedProfits } from '../../linked-trades/test/oracle.js';
import { type NaiveTrade, naiveLedgers, naiveProfit } from '../../positions/test/oracle.js';
import { HOUR_MS, type WalletProfit } from '../projection.js';

/** What each wallet realised in each hour of these blocks, from the ledgers of all its tokens. In no order. */
export function naiveProfits(
  blocks: readonly FactsBlock[],
  recorded: readonly BlockGroup[],
  reference: ReferenceSet,
): WalletProfit[] {
  const fees = naiveFees(blocks, recorded, reference.coin.decimals);
  const linked = naiveLinkedProfits(blocks, recorded, reference);
  const trades = naiveLedgers(blocks).flatMap((ledger) => ledger.trades);
  const hourOf = ({ time }: Pick<NaiveTrade, 'time'>): number => Math.floor(time / HOUR_MS);
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
      linkedUsd: sum(own.map(({ fact }) => linked.get(fact) ?? 0n)),
      ...naiveSum(fees.filter(({ wallet, time }) => wallet === all[0]!.wallet && hourOf({ time }) === hourOf(all[0]!))),
      ...{ firstTradeAt: Math.min(...times), lastTradeAt: Math.max(...times) },
    };
  });
}

interface NaiveFee {
  wallet: Hex;
  time: number;
  /** Null where it is not known. */
  usd: bigint | null;
}

/** Of each transaction in which its sender traded. */
function naiveFees(blocks: readonly FactsBlock[], recorded: readonly BlockGroup[], decimals: number): NaiveFee[] {
  return blocks.flatMap(({ time, trades }, index) => {
    const { txs, events } = recorded[index]!;
    return txs.flatMap(({ id, sender: wallet }, tx): NaiveFee[] => {
      const own = trades.find((trade) => trade.tx === id && trade.wallet === wallet);
      if (own === undefined) return [];
      const payment = events.find((event) => event.kind === 'payment' && event.tx === tx && event.wallet === wallet);
      const known = payment?.kind === 'payment' && own.coinUsd !== null;
      return [{ wallet, time, usd: known ? (payment.fees * own.coinUsd!) / 10n ** BigInt(decimals + 18) : null }];
    });
  });
}

const naiveSum = (fees: readonly NaiveFee[]) => ({
  feesUsd: fees.reduce((sum, { usd }) => sum + (usd ?? 0n), 0n),
  unknownFees: fees.filter(({ usd }) => usd === null).length,
});
