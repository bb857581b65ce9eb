import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { ChainStatus } from '#libs/serve/contract/rest/status-body.js';
import { isMoving } from '../list/is-moving.js';

/**
 * The token that the first page opens with, of rows with the most trades first: the first one whose price moves (that of a
 * stable does not change), on the chain that replaced the most blocks so far, where reorgs are seen soonest. Null: none moves yet.
 */
export function chooseHero(rows: readonly ScreenerRow[], states: readonly ChainStatus[]): ScreenerRow | null {
  const reorgs = new Map(states.map(({ chain, reorgs: { count } }) => [chain, count]));
  const of = ({ chain }: ScreenerRow): number => reorgs.get(chain) ?? 0;
  return rows.filter(isMoving).reduce<ScreenerRow | null>((best, row) => {
    return best === null || of(row) > of(best) ? row : best;
  }, null);
}
