import type { TradeList } from '#libs/serve/client/follow-trades.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import { capital, heights } from '../format/heights.js';
import { whole } from '../format/numbers.js';

/**
 * The trades as the tape shows them: those of the list, and between them for a while the ones whose block was replaced,
 * struck through, so that the user sees what is taken back instead of missing it.
 */
export interface TapeRow {
  readonly key: string;
  readonly trade: TradeBody;
  /** When a retracted trade leaves the tape; null for a valid one. */
  readonly leavesAt: number | null;
  /** Came while the page was open. */
  readonly fresh: boolean;
}

export const GHOST_MS = 6_000;

/** The same swap in another block is another row: the one that was taken back may still be leaving. */
const keyOf = ({ id, block, time }: TradeBody): string => `${id} ${block} ${time}`;

export function tapeAfter(before: readonly TapeRow[], list: TradeList, now: number): TapeRow[] {
  const known = new Map(before.map((row) => [row.key, row]));
  const added = new Set(list.added.map(keyOf));
  const retracted = new Set(list.retracted.map(keyOf));
  const rows: TapeRow[] = list.trades.map((trade) => {
    const key = keyOf(trade);
    return { key, trade, leavesAt: null, fresh: known.get(key)?.fresh ?? added.has(key) };
  });
  const standing = new Set(rows.map(({ key }) => key));
  for (const row of before) {
    if (standing.has(row.key)) continue;
    const leavesAt = retracted.has(row.key) ? now + GHOST_MS : row.leavesAt;
    if (leavesAt !== null && leavesAt > now) insert(rows, { ...row, leavesAt });
  }
  return rows;
}

/** Below every row of its block and of newer ones, so that the trades that replaced it are above it. */
function insert(rows: TapeRow[], ghost: TapeRow): void {
  const at = rows.findIndex(({ trade }) => trade.block < ghost.trade.block);
  rows.splice(at < 0 ? rows.length : at, 0, ghost);
}

export const nextLeaving = (rows: readonly TapeRow[]): number | null =>
  rows.reduce<number | null>(
    (next, { leavesAt }) => (leavesAt === null ? next : Math.min(next ?? leavesAt, leavesAt)),
    null,
  );

/** What happened, in a sentence; null when nothing was taken back. */
export function replacedNote(retracted: readonly TradeBody[]): string | null {
  const [first] = retracted;
  if (first === undefined) return null;
  const blocks = retracted.map(({ block }) => block);
  const [one, many] = [heights(first.chain, 1), heights(first.chain, 2)].map(capital);
  const [low, high] = [Math.min(...blocks), Math.max(...blocks)];
  const which =
    low === high ? `${one} ${whole(low)} was replaced` : `${many} ${whole(low)} to ${whole(high)} were replaced`;
  return `${which}: ${retracted.length} ${retracted.length === 1 ? 'trade was' : 'trades were'} reversed.`;
}
