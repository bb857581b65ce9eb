import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { RecentTrade } from '#libs/pipeline/store/market/recent-reads.js';
import type { StatsWindow, WindowStats } from '#libs/pipeline/store/market/stats-reads.js';
import type { View } from '#libs/pipeline/store/market/view.js';
import { MOST_LONG } from './batches.js';
import type { Sources } from './hot-keyed.js';
import { UncacheableState } from './hot-states.js';
import { RECENT_MS } from './price-steps.js';
import { mostSums, WindowSums } from './window-sums.js';

/** The sums of one token take at most this part of what may be held. */
const PART = 1 / 4;

/** Sums over a token's trades of the last day, at a view that the states are at. Null where they are not held. */
export async function hotStats(
  { tables, states, batches }: Sources,
  view: View,
  token: Hex,
  windows: readonly StatsWindow[],
): Promise<WindowStats[] | null> {
  const floor = states.time - RECENT_MS;
  const { bytes, trades } = states.limits;
  const most = bytes * PART;
  /** Few trades are read as they are, with those of other tokens; of more the engine makes the sums. */
  const load = async (): Promise<WindowSums | null> => {
    const few = await batches.read<RecentTrade[]>({
      ...{ kind: 'windows', seq: view.seq, ids: [token], most: MOST_LONG },
      read: async (all) => byId(await tables.recentTrades(view, all, floor, trades + 1), (row) => row.token),
    });
    const own = few.get(token) ?? [];
    if (own.length <= trades) return WindowSums.ofTrades(token, floor, most, own);
    const limit = mostSums(most) + 1;
    const sums = await tables.recentSums(view, token, floor, limit);
    if (sums.times.length === limit || sums.wallets.length === limit) return null;
    return WindowSums.ofSums(token, floor, most, sums);
  };
  return states.one<WindowSums, WindowStats[] | null>(
    { key: `windows ${token}`, ids: [token] },
    {
      load: async () => {
        const sums = await load();
        return sums === null || sums.bytes > most ? new UncacheableState() : sums;
      },
      answer: (sums) => (sums.reaches(windows) ? sums.stats(windows) : null),
    },
  );
}
