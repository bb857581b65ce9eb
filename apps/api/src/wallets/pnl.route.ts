import type { Hex } from '#libs/core/ids.js';
import { HOUR_MS, type WalletProfit } from '#libs/pipeline/projections/wallet-profits/projection.js';
import { WalletPath } from '#libs/serve/contract/rest/path-parameters.js';
import { type ProfitBucket, WalletProfitAnswer } from '#libs/serve/contract/rest/profit-body.js';
import { WalletProfitQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readWalletPositions, readWalletProfits } from '#libs/serve/reader/read-positions.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { addressParameter, ChainAccess } from '../access/chain-access.js';
import { scopeOf } from '../access/scope.js';
import { checkRange, viewFor } from '../access/token-subject.js';
import { metaOf, volumeNumber } from '../rows/display.js';
import { isMoney, openTotals, walletFields } from '../rows/profit-rows.js';
import { type ProfitRange, profitRange } from './profit-range.js';
import { valuationsAt } from './valuations.js';

@Route({
  ...marketRoute('read', unknownChain),
  id: 'getWalletPnl',
  path: '/wallets/:chain/:address/pnl',
  summary: 'Profit and loss of a wallet, in sum and by day or hour',
  description:
    'Average cost in USD at the block of each trade; a trade is that of the sender of its transaction. Units that came by transfer have no cost: a sale draws on units with and without in proportion, and reports profit for those with one.',
  parameters: WalletPath,
  query: WalletProfitQuery,
  answer: WalletProfitAnswer,
})
export class WalletPnlRoute implements RouteHandler<WalletPath, WalletProfitQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  async handle({ path, query }: RouteInput<WalletPath, WalletProfitQuery>): Promise<Answer> {
    const reader = this.access.reader(path.chain);
    const wallet = addressParameter(reader, 'address', path.address);
    checkRange(query);
    const { interval, from, to, asOfBlock } = query;
    // What the parameters alone decide is decided before a view is needed.
    if (from !== undefined && to !== undefined) profitRange(query, to);
    const view = await viewFor(reader, undefined, asOfBlock);
    const range = profitRange(query, view.head.time);
    const scope = scopeOf(`pnl:${view.chain.slug}`, wallet, { interval, from, to, asOfBlock });
    return this.cache.answer(view, scope, async (): Promise<WalletProfitAnswer> => {
      const [hours, open] = await Promise.all([
        readWalletProfits(view, wallet, range.from, range.to),
        openOf(view, wallet, range),
      ]);
      return {
        data: {
          ...{ chain: view.chain.slug, wallet: view.chain.ids.formatAddress(wallet), interval },
          ...{ from: range.from, to: range.to },
          summary: walletFields({ ...open, hours }),
          series: buckets(hours, range),
        },
        meta: metaOf(view),
      };
    });
  }
}

/** What the wallet holds; how long it held is the mean of the tokens it traded in the range. */
async function openOf(view: ChainView, wallet: Hex, { from, to }: ProfitRange) {
  const positions = await readWalletPositions(view, [wallet]);
  return openTotals(
    positions,
    await valuationsAt(view, positions),
    ({ token, firstTradeAt, lastTradeAt }) => lastTradeAt >= from && firstTradeAt < to && !isMoney(view.chain, token),
  );
}

function buckets(hours: readonly WalletProfit[], { from, to, step }: ProfitRange): ProfitBucket[] {
  const sums = new Map<number, WalletProfit[]>();
  for (const row of hours) {
    const time = Math.floor((row.hour * HOUR_MS) / step) * step;
    sums.set(time, [...(sums.get(time) ?? []), row]);
  }
  const series: ProfitBucket[] = [];
  let cumulative = 0n;
  for (let time = from; time < to; time += step) {
    const rows = sums.get(time) ?? [];
    const usd = (of: (row: WalletProfit) => bigint): bigint => rows.reduce((sum, row) => sum + of(row), 0n);
    const realized = usd(({ gainUsd, lossUsd }) => gainUsd - lossUsd);
    cumulative += realized;
    series.push({
      ...{ time, realizedUsd: volumeNumber(realized)!, cumulativeUsd: volumeNumber(cumulative)! },
      boughtUsd: volumeNumber(usd(({ boughtUsd }) => boughtUsd))!,
      soldUsd: volumeNumber(usd(({ soldUsd }) => soldUsd))!,
      buys: rows.reduce((sum, row) => sum + row.buys, 0),
      sells: rows.reduce((sum, row) => sum + row.sells, 0),
    });
  }
  return series;
}
