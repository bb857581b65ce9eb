import { CursorSigner } from '#libs/core/cursor.js';
import { orderOf, type ProfitOrder, type ProfitSum } from '#libs/pipeline/store/market/profit-reads.js';
import { type TopWalletRow, TopWalletsAnswer } from '#libs/serve/contract/rest/profit-body.js';
import { TopWalletsQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { MarketCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { ofServed } from '../access/served-chains.js';
import { metaOf, volumeNumber } from '../rows/display.js';
import { walletFields } from '../rows/profit-rows.js';
import { TopWalletRankings, type TopWallets, type TopWalletsAsked } from './top-wallets.js';

interface Ranked {
  readonly of: TopWallets;
  readonly sum: ProfitSum;
}

@Route({
  ...marketRoute('list', unknownChain),
  id: 'getTopWallets',
  path: '/wallets/top',
  summary: 'Wallets by realised profit, value or number of trades',
  description:
    'By profit: what was made against wallets of the same funder is left out of the order, and named in `linkedPercent`. Over whole hours of UTC, the hour of the block of `meta` included. A cursor pins its view of every chain: no row is lost or repeated from page to page. A chain that cannot be served now is left out of a list over all chains.',
  query: TopWalletsQuery,
  answer: TopWalletsAnswer,
})
export class TopWalletsRoute implements RouteHandler<object, TopWalletsQuery> {
  private readonly cursors: MarketCursors;

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    private readonly rankings: TopWalletRankings,
    signer: CursorSigner,
  ) {
    this.cursors = new MarketCursors(signer);
  }

  async handle({ query }: RouteInput<object, TopWalletsQuery>): Promise<Answer> {
    const { cursor, limit } = query;
    const asked = { window: query.window, sort: query.sort } as TopWalletsAsked;
    const readers = query.chain === undefined ? this.access.all() : [this.access.reader(query.chain)];
    const of = query.chain === undefined ? '*' : readers[0]!.chain.slug;
    const scope = scopeOf('top-wallets', of, { sort: asked.sort, window: asked.window });
    const opened = cursor === undefined ? null : this.cursors.open(scope, cursor);
    const newest = opened === null ? await ofServed(readers, (reader) => this.rankings.current(reader, asked)) : null;
    const views =
      opened === null
        ? newest!.map(({ view }) => view)
        : [...opened.pins].map(([slug, pin]) => this.access.stillServed(slug).view(pin));
    const offset = opened?.offset ?? 0;
    return this.cache.answer(views, `${scope}|${limit}|${offset}`, async (): Promise<TopWalletsAnswer> => {
      const end = offset + limit;
      const chains = newest ?? (await Promise.all(views.map((view) => this.rankings.at(view, asked, end + 1))));
      // Those of each chain are in order already; of equal ones the chain decides, then the address.
      const ranked = chains.flatMap((of) => of.sums.map((sum) => ({ of, sum })));
      ranked.sort((a, b) => byOrder(a, b, asked.sort));
      const pins = new Map(views.map((view) => [view.chain.slug, view.pin]));
      return {
        data: await topRows(ranked.slice(offset, end)),
        next: end < ranked.length ? this.cursors.seal(scope, pins, end) : null,
        meta: { chains: Object.fromEntries(views.map((view) => [view.chain.slug, metaOf(view)])) },
      };
    });
  }
}

function byOrder(a: Ranked, b: Ranked, sort: ProfitOrder): number {
  const [first, second] = [orderOf(a.sum, sort), orderOf(b.sum, sort)];
  if (first !== second) return first > second ? -1 : 1;
  if (a.of !== b.of) return a.of.view.chain.slug < b.of.view.chain.slug ? -1 : 1;
  return a.sum.wallet < b.sum.wallet ? -1 : 1;
}

/** Rows with what the wallets hold, read once for each chain. */
async function topRows(ranked: readonly Ranked[]): Promise<TopWalletRow[]> {
  const rows = new Map<ProfitSum, TopWalletRow>();
  for (const of of new Set(ranked.map((row) => row.of))) {
    const sums = ranked.filter((row) => row.of === of).map(({ sum }) => sum);
    const { chain } = of.view;
    for (const [index, { valueUsd, exitUsd, ...open }] of (await of.openOf(sums)).entries()) {
      const sum = sums[index]!;
      rows.set(sum, {
        ...{ chain: chain.slug, wallet: chain.ids.formatAddress(sum.wallet) },
        ...{ balance: null, balanceUnknown: null, valueUsd: volumeNumber(valueUsd) },
        exitUsd: volumeNumber(exitUsd),
        ...walletFields({ ...open, hours: [sum] }),
      });
    }
  }
  return ranked.map(({ sum }) => rows.get(sum)!);
}
