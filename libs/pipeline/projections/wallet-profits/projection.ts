import type { Hex } from '#libs/core/ids.js';
import { type E18, pow10 } from '#libs/core/money.js';
import type { BlockFacts } from '../keyed-fold.js';
import type { RowOf } from '../keyed-form.js';
import { type FoldInput, keyedProjection } from '../keyed-projection.js';
import { linkedProfits, linkedTrades } from '../linked-trades/projection.js';
import { outcomesOf, positions } from '../positions/projection.js';

/**
 * What a wallet realised in an hour of UTC. `gainUsd`, `lossUsd`, `closes` and `wins` are of all tokens that it sold, those it paid
 * with among them; the others count each trade once, from the view of its base token.
 */
export type WalletProfit = RowOf<typeof fields>;

const fields = {
  key: {
    wallet: 'id',
    /** Hours since 1970-01-01. */
    hour: 'uint32',
  },
  values: {
    gainUsd: 'sumE18',
    lossUsd: 'sumE18',
    boughtUsd: 'sumE18',
    soldUsd: 'sumE18',
    /** What units without a cost were sold for. */
    unpricedUsd: 'sumE18',
    buys: 'uint64',
    sells: 'uint64',
    /** Sales with a profit or a loss, and those of them with a profit. */
    closes: 'uint64',
    wins: 'uint64',
    /** What of `gainUsd` it made against wallets of the same funder. */
    linkedUsd: 'sumE18',
    /** What it paid for the transactions of its trades to be processed, at the coin's price at the end of the block before. */
    feesUsd: 'sumE18',
    /** Transactions of its own in which it traded of which that is not known. */
    unknownFees: 'uint64',
    /** Unix ms. */
    firstTradeAt: 'uint64',
    lastTradeAt: 'uint64',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    walletProfits?: WalletProfit[];
  }
}

export const HOUR_MS = 3_600_000;

/** Realised profit and trades by wallet and hour of block time, from what a block changed in positions. */
export const walletProfits = keyedProjection<WalletProfit>({
  name: 'wallet-profits',
  version: 2,
  member: 'walletProfits',
  fields,
  before: {
    version: 1,
    added: { linkedUsd: 'toDecimal256(0, 18)', feesUsd: 'toDecimal256(0, 18)', unknownFees: 'toUInt64(buys + sells)' },
    complete: (row) => ({ ...row, linkedUsd: 0n, feesUsd: 0n, unknownFees: row.buys + row.sells }),
  },
  copies: [{ name: 'wallet_profits_by_hour', added: [], orderBy: ['hour', 'wallet', 'seq'], rows: 1 }],
  needs: [positions, linkedTrades],
  fold(block, rows, input) {
    if (block.trades.length === 0) return;
    const { time } = block;
    const hour = Math.floor(time / HOUR_MS);
    const changed = new Map<Hex, WalletProfit>();
    const rowOf = (wallet: Hex): WalletProfit => {
      let row = changed.get(wallet);
      if (row === undefined) {
        row = { ...rows.get({ wallet, hour }) };
        if (row.firstTradeAt === 0) row.firstTradeAt = time;
        row.lastTradeAt = time;
        changed.set(wallet, row);
      }
      return row;
    };
    for (const { before, after } of input.changes(positions)) {
      if (after.buys + after.sells === before.buys + before.sells) continue;
      const row = rowOf(after.wallet);
      row.gainUsd += after.gainUsd - before.gainUsd;
      row.lossUsd += after.lossUsd - before.lossUsd;
      row.closes += after.closes - before.closes;
      row.wins += after.wins - before.wins;
    }
    for (const { wallet, outcome } of outcomesOf(block)) {
      if (!outcome.isBase) continue;
      const { side, usd, unpricedUsd } = outcome;
      const row = rowOf(wallet);
      if (side === 'buy') row.buys++;
      else row.sells++;
      if (side === 'buy') row.boughtUsd += usd ?? 0n;
      else row.soldUsd += usd ?? 0n;
      row.unpricedUsd += unpricedUsd;
    }
    for (const [wallet, usd] of linkedProfits(block)) rowOf(wallet).linkedUsd += usd;
    countFees(block, input, rowOf);
    for (const row of changed.values()) rows.set(row);
  },
});

/** Once for each transaction, of who sent it and traded in it: what others send costs a wallet nothing. */
function countFees(block: BlockFacts, { group, reference }: FoldInput, rowOf: (wallet: Hex) => WalletProfit): void {
  const feesOf = new Map<Hex, E18>();
  for (const event of group.events) {
    if (event.kind !== 'payment') continue;
    const { id, sender } = group.txs[event.tx]!;
    if (event.wallet === sender) feesOf.set(id, event.fees);
  }
  const counted = new Set<Hex>();
  for (const { tx, wallet, sender, coinUsd } of block.trades) {
    if (sender !== wallet || counted.has(tx)) continue;
    counted.add(tx);
    const row = rowOf(wallet);
    const fees = feesOf.get(tx);
    if (fees === undefined || coinUsd === null) row.unknownFees++;
    else row.feesUsd += (fees * coinUsd) / pow10(reference.coin.decimals + 18);
  }
}
