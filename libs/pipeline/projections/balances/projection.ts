import type { Hex } from '#libs/core/ids.js';
import type { TransferEvent } from '#libs/protocol/blocks.js';
import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';
import { isZeroId, MOST_AMOUNT } from '../token-amounts.js';

/** What a wallet holds of a token, as its transfers since the start of the index say. */
export type Balance = RowOf<typeof fields>;

const fields = {
  key: { token: 'id', wallet: 'id' },
  values: {
    /** Raw units. Never below zero: a wallet that gives more than was seen of it ends with nothing, and the token is not complete. */
    amount: 'uint256',
    /** Unix ms of the block since which it holds some without a break. */
    firstAt: 'uint64',
    /** Unix ms of the last block that changed the amount. */
    lastAt: 'uint64',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    balances?: Balance[];
  }
}

/**
 * Balances by token and wallet, from transfers. The zero id is no wallet: what comes from it is minted, what goes to it is burnt.
 * A block's transfers count together, so their order in it does not matter. A wallet without a balance has no row.
 */
export const balances = keyedProjection<Balance>({
  name: 'balances',
  version: 1,
  member: 'balances',
  fields,
  copies: [{ name: 'balances_by_wallet', added: [], orderBy: ['wallet', 'token', 'seq'], rows: 1 }],
  fold(block, rows) {
    if (block.transfers.length === 0) return;
    const { time } = block;
    for (const [token, wallets] of movedAmounts(block.transfers)) {
      for (const [wallet, moved] of wallets) {
        if (moved === 0n) continue;
        const before = rows.get({ token, wallet });
        const amount = between(before.amount + moved);
        if (amount === before.amount) continue;
        const firstAt = before.amount === 0n ? time : before.firstAt;
        rows.set(
          amount === 0n
            ? { token, wallet, amount, firstAt: 0, lastAt: 0 }
            : { token, wallet, amount, firstAt, lastAt: time },
        );
      }
    }
  },
  *touches({ events, samples = [] }) {
    for (const { token, wallet } of samples) yield { token, wallet };
    for (const event of events) {
      if (event.kind !== 'transfer') continue;
      const { token, from, to } = event;
      if (!isZeroId(from)) yield { token, wallet: from };
      if (!isZeroId(to)) yield { token, wallet: to };
    }
  },
});

type Moved = Pick<TransferEvent, 'token' | 'from' | 'to' | 'amount'>;

/** What each wallet got less what it gave, by token, in the order of first sight. */
function movedAmounts(transfers: readonly Moved[]): Map<Hex, Map<Hex, bigint>> {
  const moved = new Map<Hex, Map<Hex, bigint>>();
  for (const { token, from, to, amount } of transfers) {
    if (amount === 0n || from === to) continue;
    let wallets = moved.get(token);
    if (wallets === undefined) {
      wallets = new Map();
      moved.set(token, wallets);
    }
    if (!isZeroId(from)) wallets.set(from, (wallets.get(from) ?? 0n) - amount);
    if (!isZeroId(to)) wallets.set(to, (wallets.get(to) ?? 0n) + amount);
  }
  return moved;
}

const between = (amount: bigint): bigint => (amount < 0n ? 0n : amount > MOST_AMOUNT ? MOST_AMOUNT : amount);
