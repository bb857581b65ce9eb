import { CursorSigner } from '#libs/core/cursor.js';
import type { E18 } from '#libs/core/money.js';
import { tokenUsd } from '#libs/fold/price-rule.js';
import type { Answer } from '#libs/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/http/declared-route.js';
import { upstreamUnavailable } from '#libs/http/problem.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import { HOUR_MS } from '#libs/projections/wallet-profits/projection.js';
import { type TopWalletRow, TopWalletsAnswer } from '#libs/protocol/rest/profit-body.js';
import { TopWalletsQuery } from '#libs/protocol/rest/profit-queries.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import { readWalletPositions } from '#libs/reader/read-positions.js';
import { readPrices, readTokenRecords } from '#libs/reader/read-prices.js';
import { readTopWallets } from '#libs/reader/read-top-wallets.js';
import { ChainUnavailableError, StaleViewError } from '#libs/reader/unavailable.js';
import { orderOf, type ProfitOrder, type ProfitSum } from '#libs/store/market/profit-reads.js';
import { AnswerCache } from '../access/answer-cache.js';
import { badRequest, unavailable, unknownChain } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { MarketCursors } from '../access/page-cursor.js';
import { scopeOf } from '../access/scope.js';
import { metaOf, volumeNumber } from '../rows/display.js';
import { isMoney, openTotals, valuationOfToken, walletFields } from '../rows/profit-rows.js';

const HOURS: Readonly<Record<string, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

const declaration = declareRoute({
  id: 'getTopWallets',
  method: 'GET',
  path: '/wallets/top',
  summary: 'Wallets by realised profit, value or number of trades',
  description:
    'Over whole hours of UTC, the hour of the block of `meta` included. A cursor pins its view of every chain: no row is lost or repeated from page to page. A chain that cannot be served now is left out of a list over all chains.',
  query: TopWalletsQuery,
  answer: TopWalletsAnswer,
  errors: [badRequest, unknownChain, unavailable],
  access: 'keyed',
  cost: 'list',
  cache: 'revalidate',
});

interface Ranked {
  readonly view: ChainView;
  readonly sum: ProfitSum;
}

@Route(declaration)
export class TopWalletsRoute implements RouteHandler<object, TopWalletsQuery> {
  private readonly cursors: MarketCursors;

  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
    signer: CursorSigner,
  ) {
    this.cursors = new MarketCursors(signer);
  }

  async handle({ query }: RouteInput<object, TopWalletsQuery>): Promise<Answer> {
    const { cursor, limit, window } = query;
    const sort = query.sort as ProfitOrder;
    const readers = query.chain === undefined ? this.access.all() : [this.access.reader(query.chain)];
    const of = query.chain === undefined ? '*' : readers[0]!.chain.slug;
    const scope = scopeOf('top-wallets', of, { sort, window });
    const opened = cursor === undefined ? undefined : this.cursors.open(scope, cursor);
    const offset = opened?.offset ?? 0;
    const views =
      opened === undefined ? current(readers) : [...opened.pins].map(([slug, pin]) => this.pinned(slug, pin));
    return this.cache.answer(views, `${scope}|${limit}|${offset}`, async (): Promise<TopWalletsAnswer> => {
      const end = offset + limit;
      const ranked = (await Promise.all(views.map((view) => ranking(view, window, sort, end + 1)))).flat();
      // Those of each chain are in order already; of equal ones the chain decides, then the address.
      ranked.sort((a, b) => byOrder(a, b, sort));
      const pins = new Map(views.map((view) => [view.chain.slug, view.pin]));
      return {
        data: await topRows(ranked.slice(offset, end)),
        next: end < ranked.length ? this.cursors.seal(scope, pins, end) : null,
        meta: { chains: Object.fromEntries(views.map((view) => [view.chain.slug, metaOf(view)])) },
      };
    });
  }

  private pinned(slug: string, pin: ChainView['pin']): ChainView {
    const reader = this.access.find(slug);
    if (reader === null) throw new StaleViewError(`chain ${slug} is not served any more`);
    return reader.view(pin);
  }
}

/** The chains that can be served now; without any the failure of the first. */
function current(readers: ReturnType<ChainAccess['all']>): ChainView[] {
  const views: ChainView[] = [];
  let failure: ChainUnavailableError | null = null;
  for (const reader of readers) {
    try {
      views.push(reader.view());
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      failure ??= error;
    }
  }
  if (views.length === 0) throw failure ?? upstreamUnavailable('no chain is configured');
  return views;
}

async function ranking(view: ChainView, window: string, sort: ProfitOrder, limit: number): Promise<Ranked[]> {
  const fromHour = Math.max(0, Math.floor(view.head.time / HOUR_MS) - HOURS[window]! + 1);
  const sums = await readTopWallets(view, fromHour, sort, limit);
  return sums.map((sum) => ({ view, sum }));
}

function byOrder(a: Ranked, b: Ranked, sort: ProfitOrder): number {
  const [first, second] = [orderOf(a.sum, sort), orderOf(b.sum, sort)];
  if (first !== second) return first > second ? -1 : 1;
  if (a.view !== b.view) return a.view.chain.slug < b.view.chain.slug ? -1 : 1;
  return a.sum.wallet < b.sum.wallet ? -1 : 1;
}

/** Rows with what the wallets hold, read once for each chain. */
async function topRows(ranked: readonly Ranked[]): Promise<TopWalletRow[]> {
  const totals = new Map<ChainView, Awaited<ReturnType<typeof totalsOf>>>();
  for (const view of new Set(ranked.map((row) => row.view))) {
    const wallets = ranked.filter((row) => row.view === view).map(({ sum }) => sum.wallet);
    totals.set(view, await totalsOf(view, wallets));
  }
  return ranked.map(({ view, sum }) => {
    const { valueUsd, ...open } = totals.get(view)!(sum);
    return {
      ...{ chain: view.chain.slug, wallet: view.chain.ids.formatAddress(sum.wallet) },
      ...{ balance: null, valueUsd: volumeNumber(valueUsd) },
      ...walletFields({ ...open, hours: [sum] }),
    };
  });
}

async function totalsOf(view: ChainView, wallets: readonly string[]) {
  const positions = await readWalletPositions(view, wallets);
  const tokens = new Set(positions.map(({ token }) => token));
  const [records, prices] = await Promise.all([readTokenRecords(view, tokens), readPrices(view, tokens)]);
  return ({ wallet, firstTradeAt }: ProfitSum): ReturnType<typeof openTotals> & { valueUsd: E18 } =>
    openTotals(
      positions.filter((position) => position.wallet === wallet),
      (token) => valuationOfToken(records.get(token), tokenUsd(prices, token), view.head.time),
      ({ token, lastTradeAt }) => lastTradeAt >= firstTradeAt && !isMoney(view.chain, token),
    );
}
