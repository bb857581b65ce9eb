import type { Hex } from '#libs/core/ids.js';
import type {
  BlockGroup,
  BlocksGroup,
  ChainEvent,
  PoolRecord,
  SwapEvent,
  TransferEvent,
} from '#libs/protocol/blocks.js';

/**
 * The same history with few wallets behind its swaps, and with the transfers that swaps make: from the wallet to the pool and back,
 * at times taxed, to another wallet, paid with the coin, of which nothing is seen, or sent by a relay. A function of each block alone, so that a
 * block mined again is the same.
 */
export function withTradingWallets(groups: readonly BlocksGroup[], wallets: readonly Hex[]): BlocksGroup[] {
  const pools = new Map<Hex, PoolRecord>();
  for (const group of groups) if (group.kind === 'block') for (const pool of group.pools) pools.set(pool.pool, pool);
  return groups.map((group) => (group.kind === 'block' ? tradingBlock(group, pools, wallets) : group));
}

function tradingBlock(group: BlockGroup, pools: ReadonlyMap<Hex, PoolRecord>, wallets: readonly Hex[]): BlockGroup {
  const digits = (id: Hex, at: number): number => Number.parseInt(id.slice(at, at + 4), 16);
  const walletAt = (id: Hex, at: number): Hex => wallets[digits(id, at) % wallets.length]!;
  const events: ChainEvent[] = [];
  for (const event of group.events) {
    if (event.kind !== 'swap') {
      const creates = event.kind === 'launch' && event.step === 'created';
      events.push(creates ? { ...event, party: walletAt(group.txs[event.tx]!.id, 0) } : event);
      continue;
    }
    const { id } = group.txs[event.tx]!;
    const wallet = walletAt(id, 0);
    const way = digits(id, 4) % 10;
    const recipient = way === 0 ? walletAt(id, 8) : wallet;
    events.push({ ...event, sender: wallet, recipient });
    for (const moved of transfersOf(event, pools.get(event.pool)!)) {
      const [from, to] = moved.into ? [wallet, event.pool] : [event.pool, recipient];
      if (moved.into && way === 1) continue;
      const amount = way === 2 ? (moved.amount * 9n) / 10n : moved.amount;
      events.push({ kind: 'transfer', tx: event.tx, ordinal: 0, token: moved.token, from, to, amount });
    }
  }
  const first = group.events[0]?.ordinal ?? 0;
  return {
    ...group,
    // In every second block nothing is between its transactions.
    txs: group.txs.map((tx, place) => ({
      ...tx,
      index: digits(group.hash, 0) % 2 === 0 ? place : tx.index,
      sender: digits(tx.id, 4) % 10 === 3 ? RELAY : walletAt(tx.id, 0),
    })),
    events: events.map((event, index) => ({ ...event, ordinal: first + index })),
  };
}

/** Sends what others trade. */
const RELAY: Hex = 'e1'.repeat(20);

type Moved = Pick<TransferEvent, 'token' | 'amount'> & { into: boolean };

function transfersOf({ amount0, amount1 }: SwapEvent, { token0, token1 }: PoolRecord): Moved[] {
  const sides = [
    { token: token0, amount: amount0 },
    { token: token1, amount: amount1 },
  ];
  return sides.flatMap(({ token, amount }) =>
    amount === 0n ? [] : [{ token, into: amount > 0n, amount: amount > 0n ? amount : -amount }],
  );
}
