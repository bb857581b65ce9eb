import type { Hex } from '#libs/core/ids.js';
import { type WalletProfit, walletProfits } from '#libs/pipeline/projections/wallet-profits/projection.js';
import { orderOf, type ProfitOrder, type ProfitSum } from '#libs/pipeline/store/market/profit-reads.js';
import type { ChainView } from './chain-view.js';
import { readKeyed } from './read-keyed.js';
import { rowsIn } from './rows-in.js';

/**
 * Wallets by what they realised from an hour on, the first ones first. Wallets that the tail names are summed here, with the newest
 * row of each hour wherever it is; the tables order all others.
 */
export async function readTopWallets(
  view: ChainView,
  fromHour: number,
  by: ProfitOrder,
  limit: number,
): Promise<ProfitSum[]> {
  const changed = new Set<Hex>();
  for (const { facts } of view.groups) {
    for (const row of rowsIn(walletProfits, facts) as unknown as WalletProfit[]) {
      if (row.hour >= fromHour) changed.add(row.wallet);
    }
  }
  const [stored, hours] = await Promise.all([
    view.reads.topProfits(view.tables, fromHour, by, limit + changed.size),
    changed.size === 0
      ? []
      : readKeyed(view, walletProfits, { wallet: { in: [...changed] }, hour: { from: fromHour } }),
  ]);
  const sums = stored.filter(({ wallet }) => !changed.has(wallet));
  sums.push(...sumByWallet(hours));
  return sums.sort((a, b) => byOrder(a, b, by)).slice(0, limit);
}

function byOrder(a: ProfitSum, b: ProfitSum, by: ProfitOrder): number {
  const [first, second] = [orderOf(a, by), orderOf(b, by)];
  if (first !== second) return first > second ? -1 : 1;
  return a.wallet < b.wallet ? -1 : 1;
}

function sumByWallet(hours: readonly WalletProfit[]): ProfitSum[] {
  const sums = new Map<Hex, ProfitSum>();
  for (const { hour: _, ...row } of hours) {
    const known = sums.get(row.wallet);
    sums.set(row.wallet, known === undefined ? row : together(known, row));
  }
  return [...sums.values()];
}

const together = (a: ProfitSum, b: ProfitSum): ProfitSum => ({
  wallet: a.wallet,
  ...{ gainUsd: a.gainUsd + b.gainUsd, lossUsd: a.lossUsd + b.lossUsd, boughtUsd: a.boughtUsd + b.boughtUsd },
  ...{ soldUsd: a.soldUsd + b.soldUsd, unpricedUsd: a.unpricedUsd + b.unpricedUsd },
  ...{ buys: a.buys + b.buys, sells: a.sells + b.sells, closes: a.closes + b.closes, wins: a.wins + b.wins },
  linkedUsd: a.linkedUsd + b.linkedUsd,
  ...{ feesUsd: a.feesUsd + b.feesUsd, unknownFees: a.unknownFees + b.unknownFees },
  firstTradeAt: Math.min(a.firstTradeAt, b.firstTradeAt),
  lastTradeAt: Math.max(a.lastTradeAt, b.lastTradeAt),
});
