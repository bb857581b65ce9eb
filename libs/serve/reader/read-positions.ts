import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import { balances } from '#libs/pipeline/projections/balances/projection.js';
import { type Position, positions } from '#libs/pipeline/projections/positions/projection.js';
import { HOUR_MS, type WalletProfit, walletProfits } from '#libs/pipeline/projections/wallet-profits/projection.js';
import type { ChainView } from './chain-view.js';
import { readHolderCounts, unknownBalances } from './read-holders.js';
import { readKeyed, readRanked } from './read-keyed.js';

/** Tokens of a wallet that are looked at: those it traded last. */
const MOST_POSITIONS = 10_000;

type UnknownBalances = ReturnType<typeof unknownBalances>;

/** What some wallets did with a token, by wallet, and what they hold of it, traded or not; null where that is not known. */
export async function readPositions(
  view: ChainView,
  token: Hex,
  wallets: readonly Hex[],
): Promise<{ positions: Map<Hex, Position>; amountOf: (wallet: Hex) => bigint | null; unknown: UnknownBalances }> {
  const bounds = { token: { is: token }, wallet: { in: wallets } };
  const [traded, held, counts] = await Promise.all([
    readKeyed(view, positions, bounds),
    readKeyed(view, balances, bounds),
    readHolderCounts(view, [token]),
  ]);
  const unknown = unknownBalances(counts.get(token));
  const amounts = new Map(held.map(({ wallet, amount }) => [wallet, amount]));
  return {
    positions: new Map(traded.map((row) => [row.wallet, row])),
    amountOf: (wallet) => (unknown === null ? (amounts.get(wallet) ?? 0n) : null),
    unknown,
  };
}

/** Who traded a token, the largest realised profit first, and whether what they hold of it is known. */
export async function readTraders(
  view: ChainView,
  token: Hex,
  offset: number,
  limit: number,
): Promise<{ rows: Position[]; more: boolean; unknown: UnknownBalances }> {
  const rank = { by: 'gainUsd', less: 'lossUsd', offset, limit: limit + 1 } as const;
  const [rows, counts] = await Promise.all([
    readRanked(view, positions, { token: { is: token } }, rank),
    readHolderCounts(view, [token]),
  ]);
  return { rows: rows.slice(0, limit), more: rows.length > limit, unknown: unknownBalances(counts.get(token)) };
}

/**
 * Positions of some wallets, of each the `most` that it traded last, these first. Of wallets that have no more than `together`
 * in all they come with one read.
 */
export async function readWalletPositions(
  view: ChainView,
  wallets: readonly Hex[],
  { most = MOST_POSITIONS, together = MOST_POSITIONS } = {},
): Promise<Position[]> {
  const read = (some: readonly Hex[], limit: number): Promise<Position[]> =>
    readRanked(view, positions, { wallet: { in: some } }, { by: 'lastTradeAt', offset: 0, limit });
  if (wallets.length > 1) {
    const all = await read(wallets, together);
    if (all.length < together) {
      return [...byId(all, ({ wallet }) => wallet).values()].flatMap((own) => own.slice(0, most));
    }
  }
  const each: Position[] = [];
  for (const wallet of wallets) each.push(...(await read([wallet], most)));
  return each;
}

/** What a wallet realised by the hour, in hours that begin at or after one time and before another; ascending. */
export async function readWalletProfits(
  view: ChainView,
  wallet: Hex,
  fromTime: number,
  toTime: number,
): Promise<WalletProfit[]> {
  const hours = await readKeyed(view, walletProfits, {
    wallet: { is: wallet },
    hour: { from: Math.floor(fromTime / HOUR_MS) },
  });
  return hours.filter(({ hour }) => hour * HOUR_MS < toTime);
}
