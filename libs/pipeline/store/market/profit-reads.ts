import type { Hex } from '#libs/core/ids.js';
import { type E18, parseDecimal } from '#libs/core/money.js';
import { snakeCase } from '#libs/pipeline/projections/table.js';
import { type WalletProfit, walletProfits } from '#libs/pipeline/projections/wallet-profits/projection.js';
import { SCAN } from '../store.js';
import { columnOf } from './keyed-reads.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

/** What wallets are ordered by: realised profit less what they made against wallets of the same funder, value traded, or number of trades. */
export type ProfitOrder = 'profit' | 'volume' | 'trades';

/** What a wallet realised in some hours together. */
export type ProfitSum = Omit<WalletProfit, 'hour'>;

/** What tables of the version before have not. */
const added = walletProfits.keyed.form.values.filter(({ older }) => older !== undefined);

const orders: Readonly<Record<ProfitOrder, string>> = {
  profit: `sum(gain_usd - loss_usd - ${columnOf(added.find(({ name }) => name === 'linkedUsd')!)})`,
  volume: 'sum(bought_usd) + sum(sold_usd)',
  trades: 'sum(buys) + sum(sells)',
};

/** The same for a sum in memory. */
export function orderOf(
  { gainUsd, lossUsd, linkedUsd, boughtUsd, soldUsd, buys, sells }: ProfitSum,
  by: ProfitOrder,
): bigint {
  if (by === 'profit') return gainUsd - lossUsd - linkedUsd;
  return by === 'volume' ? boughtUsd + soldUsd : BigInt(buys + sells);
}

/** The first wallets by what they realised from an hour on: the largest first, then by wallet. */
export async function topProfits(
  tables: MarketTables,
  view: View,
  fromHour: number,
  by: ProfitOrder,
  limit: number,
): Promise<ProfitSum[]> {
  const rows = visible(view);
  const newest = `SELECT * FROM ${tables.database}.wallet_profits_by_hour WHERE hour >= {from_hour:UInt32} AND ${rows.sql}
    ORDER BY hour, wallet, seq DESC LIMIT 1 BY hour, wallet`;
  const own = [...USD, ...COUNTS].map((column) => `toString(sum(${column})) AS ${column}_sum`);
  const sums = [
    ...own,
    ...added.map((field) => `toString(sum(${columnOf(field)})) AS ${snakeCase(field.name)}_sum`),
  ].join(', ');
  const found = await tables.store.query<Stored>(
    `SELECT lower(hex(wallet)) AS wallet_hex, ${sums}, toString(min(first_trade_at)) AS first_at, toString(max(last_trade_at)) AS last_at
     FROM (${newest}) WHERE last_trade_at > 0 GROUP BY wallet ORDER BY ${orders[by]} DESC, wallet LIMIT {limit:UInt64}
     SETTINGS max_threads = 1`,
    { ...rows.params, from_hour: fromHour, limit },
    SCAN,
  );
  return found.map(readSum);
}

const USD = ['gain_usd', 'loss_usd', 'bought_usd', 'sold_usd', 'unpriced_usd'] as const;
const COUNTS = ['buys', 'sells', 'closes', 'wins'] as const;

type Added = 'linked_usd' | 'fees_usd' | 'unknown_fees';

type Stored = Record<
  'wallet_hex' | 'first_at' | 'last_at' | `${(typeof USD | typeof COUNTS)[number] | Added}_sum`,
  string
>;

const usd = (text: string): E18 => parseDecimal(text, 18);

function readSum(row: Stored): ProfitSum {
  return {
    wallet: row.wallet_hex as Hex,
    ...{ gainUsd: usd(row.gain_usd_sum), lossUsd: usd(row.loss_usd_sum), boughtUsd: usd(row.bought_usd_sum) },
    ...{ soldUsd: usd(row.sold_usd_sum), unpricedUsd: usd(row.unpriced_usd_sum) },
    ...{ buys: Number(row.buys_sum), sells: Number(row.sells_sum) },
    ...{ closes: Number(row.closes_sum), wins: Number(row.wins_sum) },
    ...{
      linkedUsd: usd(row.linked_usd_sum),
      feesUsd: usd(row.fees_usd_sum),
      unknownFees: Number(row.unknown_fees_sum),
    },
    ...{ firstTradeAt: Number(row.first_at), lastTradeAt: Number(row.last_at) },
  };
}
