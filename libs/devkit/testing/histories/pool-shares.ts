import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, BlocksGroup, ChainEvent, TransferEvent } from '#libs/protocol/blocks.js';
import { SeededRandom } from '../seeded-random.js';

/**
 * The same history with transfers of the shares of its pools, as pairs of Uniswap V2 make them: the first mint and its lock, mints,
 * moves between wallets, into the graves and back to the pool, which ends them; now and then more than there is. A function of each
 * block and of the pools of the history, so that a block mined again is the same.
 */
export function withPoolShares(groups: readonly BlocksGroup[], wallets: readonly Hex[]): BlocksGroup[] {
  const blocks = groups.filter((group): group is BlockGroup => group.kind === 'block');
  const pools = [...new Set(blocks.flatMap((group) => group.pools).map(({ pool }) => pool))];
  return groups.map((group) => (group.kind === 'block' ? sharingBlock(group, pools, wallets) : group));
}

const LOCKED = 1_000n;

function sharingBlock(group: BlockGroup, pools: readonly Hex[], wallets: readonly Hex[]): BlockGroup {
  const events: ChainEvent[] = [...group.events];
  const move = (tx: number, token: Hex, { from, to, amount }: Pick<TransferEvent, 'from' | 'to' | 'amount'>) =>
    events.push({ kind: 'transfer', tx, ordinal: 0, token, from, to, amount });
  if (group.txs.length > 0) {
    for (const { pool, kind, created } of group.pools) {
      if (!created || kind === 'curve') continue;
      const [zero] = wallets as [Hex];
      move(0, pool, { from: zero, to: zero, amount: LOCKED });
      move(0, pool, { from: zero, to: wallets[1]!, amount: 1_000_000_000n });
    }
  }
  for (const [tx, { id }] of group.txs.entries()) {
    const random = new SeededRandom(Number.parseInt(id.slice(16, 24), 16));
    if (pools.length === 0 || !random.chance(0.4)) continue;
    const pool = random.pick(pools);
    const party = () => (random.chance(0.25) ? pool : random.pick(wallets));
    const amount = BigInt(Math.floor(random.spread(1, random.chance(0.03) ? 1e13 : 1e8)));
    move(tx, pool, { from: party(), to: party(), amount });
  }
  const ordered = events
    .map((event, place) => ({ event, place }))
    .sort((a, b) => a.event.tx - b.event.tx || a.place - b.place);
  const first = group.events[0]?.ordinal ?? 0;
  return { ...group, events: ordered.map(({ event }, index) => ({ ...event, ordinal: first + index })) };
}
