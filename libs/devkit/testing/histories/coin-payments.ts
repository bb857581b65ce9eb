import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, BlocksGroup, ChainEvent, PoolRecord, ReferenceSet } from '#libs/protocol/blocks.js';

/**
 * The same history with what the senders of most transactions paid in the coin, fees of the transaction apart. Invariant: they paid
 * for trades what their transfers of the coin's token say, so profits are as they were. A function of each block alone.
 */
export function withCoinPayments(groups: readonly BlocksGroup[], { coin }: ReferenceSet): BlocksGroup[] {
  const pools = new Map<Hex, PoolRecord>();
  for (const group of groups) if (group.kind === 'block') for (const pool of group.pools) pools.set(pool.pool, pool);
  return groups.map((group) => (group.kind === 'block' ? payingBlock(group, pools, coin.token) : group));
}

function payingBlock(group: BlockGroup, pools: ReadonlyMap<Hex, PoolRecord>, coin: Hex): BlockGroup {
  const payments = group.txs.flatMap(({ id, sender: wallet }, tx): ChainEvent[] => {
    const digit = Number.parseInt(id.slice(-2), 16);
    const own = group.events.filter((event) => event.tx === tx);
    const paid = digit % 4 === 0 ? null : paidBy(wallet, own, pools, coin);
    return paid === null ? [] : [{ kind: 'payment', tx, ordinal: 0, wallet, paid, fees: BigInt(digit) * 1_000_000n }];
  });
  const first = group.events[0]?.ordinal ?? 0;
  const events = [...group.events, ...payments].sort((a, b) => a.tx - b.tx);
  return { ...group, events: events.map((event, index) => ({ ...event, ordinal: first + index })) };
}

/** Null where it did not trade, and where it got and gave the coin: then it is not what transfers say. */
function paidBy(wallet: Hex, events: readonly ChainEvent[], pools: ReadonlyMap<Hex, PoolRecord>, coin: Hex) {
  let [came, went] = [0n, 0n];
  const ways = new Set<'buy' | 'sell'>();
  let trades = false;
  for (const event of events) {
    if (event.kind === 'transfer' && event.token === coin && event.from !== event.to) {
      if (event.to === wallet) came += event.amount;
      if (event.from === wallet) went += event.amount;
    }
    if (event.kind !== 'swap' || event.sender !== wallet) continue;
    trades = true;
    const { token0, token1 } = pools.get(event.pool)!;
    if (token0 === coin) ways.add(event.amount0 < 0n ? 'buy' : 'sell');
    if (token1 === coin) ways.add(event.amount1 < 0n ? 'buy' : 'sell');
  }
  if (!trades || ways.size > 1) return null;
  return ways.has('buy') ? -came : went;
}
