import type { TradesQuery } from '#libs/pipeline/store/market/trade-reads.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';
import type { TailGroup } from './tail-buffer.js';
import { isBeforePlace, isWanted } from './wanted-trade.js';

/** A trade and the block it is in. */
export type PlacedTrade = TradeFact & { block: number; time: number };

export interface TradesPage {
  /** Newest first, at most `limit`; on Solana more where the last transaction alone has more. */
  trades: PlacedTrade[];
  /** True when older trades match too. */
  more: boolean;
}

/**
 * A page of trades of one token, from either side of its swaps, or of one wallet. Everything visible in the tail is above everything
 * visible in the tables, so the page is the tail's part followed by the tables'. A route on Solana is many swaps of one
 * transaction: a page there never ends inside of one.
 */
export async function readTrades(view: ChainView, filter: TradesQuery): Promise<TradesPage> {
  const page = await readPage(view, filter);
  if (view.chain.family !== 'solana') return page;
  while (page.more) {
    const last = page.trades.at(-1)!;
    const next = await readPage(view, { ...filter, before: last, limit: TRANSACTION_STEP });
    const same = next.trades.findIndex((trade) => trade.tx !== last.tx);
    page.trades.push(...next.trades.slice(0, same < 0 ? next.trades.length : same));
    if (same >= 0) break;
    page.more = next.more;
  }
  return page;
}

const TRANSACTION_STEP = 16;

async function readPage(view: ChainView, filter: TradesQuery): Promise<TradesPage> {
  const wanted = filter.limit + 1;
  const found = tailTrades(view, filter, wanted);
  if (found.length < wanted) {
    const { before, ...rest } = filter;
    const query = isInTail(view, before) ? rest : filter;
    found.push(...(await view.reads.tradesPage(view.tables, { ...query, limit: wanted - found.length })));
  }
  return { trades: found.slice(0, filter.limit), more: found.length > filter.limit };
}

/** A place in the tail leaves nothing of the tables out. */
function isInTail({ groups }: ChainView, place: TradesQuery['before']): boolean {
  const first = groups.find(({ facts }) => facts.kind === 'block');
  return place !== undefined && first !== undefined && first.facts.height <= place.block;
}

function tailTrades(view: ChainView, filter: TradesQuery, wanted: number): PlacedTrade[] {
  const found: PlacedTrade[] = [];
  for (let i = view.groups.length - 1; i >= 0 && found.length < wanted; i--) {
    const group = view.groups[i]!;
    const { height, time } = group.facts;
    if (filter.toTime !== undefined && time >= filter.toTime) continue;
    if (filter.fromTime !== undefined && time < filter.fromTime) break;
    const trades = filter.token === undefined ? tradesIn(group) : group.tradesOf(filter.token);
    for (let k = trades.length - 1; k >= 0 && found.length < wanted; k--) {
      const trade = trades[k]!;
      if (!isWanted(trade, filter)) continue;
      if (filter.before !== undefined && !isBeforePlace(height, trade.ordinal, filter.before)) continue;
      found.push({ ...trade, block: height, time });
    }
  }
  return found;
}

const tradesIn = ({ facts }: TailGroup): readonly TradeFact[] => (facts.kind === 'block' ? facts.trades : []);
