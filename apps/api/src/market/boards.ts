import { forEachYielding } from '#libs/core/for-each-yielding.js';
import type { BoardName, BoardRow } from '#libs/serve/contract/rest/launchpad-body.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import type { TokenOrigin } from '#libs/serve/reader/token-launch.js';
import { progressPercent, searchRow } from '../rows/search-row.js';
import { firstOf, type Listing } from './first-of.js';
import { byDepth, descending, type ListedToken, listedIn } from './listed-token.js';
import type { MarketList } from './market-list.js';
import { mustBeIndexed } from './measured.js';

/** From here on a token is near its graduation. */
const GRADUATING_PPM = 700_000;

/** Whether a token is on a board; `trades` are those of the last hour of block time. */
function isOnBoard(board: BoardName, { launchpad }: TokenOrigin, trades: number): boolean {
  if (launchpad === null) return false;
  if (board === 'graduated') return launchpad.graduated;
  if (launchpad.graduated) return false;
  return board === 'new' || (launchpad.progressPpm >= GRADUATING_PPM && trades > 0);
}

/** What a board is ordered by, the largest first. */
const order: Readonly<Record<BoardName, (token: ListedToken) => number | null>> = {
  new: (token) => token.createdAt,
  graduating: ({ listed }) => listed.origin.launchpad!.progressPpm,
  graduated: ({ listed }) => listed.origin.launchpad!.graduatedAt,
};

/** The tokens of a board in its order. */
async function boardTokens(
  markets: readonly Market[],
  board: BoardName,
  launchpad: string | undefined,
  limit: number,
): Promise<Listing<ListedToken>> {
  const found: ListedToken[] = [];
  await forEachYielding(listedIn(markets), (token) => {
    if (launchpad !== undefined && token.launchpad !== launchpad) return;
    if (isOnBoard(board, token.listed.origin, token.trades('1h'))) found.push(token);
  });
  const by = order[board];
  return {
    first: await firstOf(found, limit, (a, b) => descending(by(a), by(b)) || byDepth(a, b)),
    total: found.length,
  };
}

/** The tokens that a wallet created, the newest first. */
export const byCreation = (a: ListedToken, b: ListedToken): number =>
  descending(a.createdAt, b.createdAt) || byDepth(a, b);

function boardRow({ market, listed }: ListedToken): BoardRow {
  const { chain } = market.view;
  const { curve, progressPpm } = listed.origin.launchpad!;
  return {
    ...searchRow(market.view, listed.token, listed),
    curve: { progressPercent: progressPercent(progressPpm), pool: chain.ids.formatAddress(curve) },
  };
}

export const boardList = (board: BoardName, launchpad?: string): MarketList<BoardRow> => ({
  ...{ name: `launchpad-${board}`, parameters: { launchpad } },
  judge: (markets) => mustBeIndexed(markets, launchpad),
  first: (markets, limit) => boardTokens(markets, board, launchpad, limit),
  row: boardRow,
});
