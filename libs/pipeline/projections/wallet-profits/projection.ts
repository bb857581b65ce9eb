import type { Hex } from '#libs/core/ids.js';
import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';
import { baseOutcomes, positions } from '../positions/projection.js';

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
  version: 1,
  member: 'walletProfits',
  fields,
  copies: [{ name: 'wallet_profits_by_hour', added: [], orderBy: ['hour', 'wallet', 'seq'], rows: 1 }],
  needs: [positions],
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
    for (const { wallet, outcome } of baseOutcomes(block)) {
      const { side, usd, unpricedUsd } = outcome;
      const row = rowOf(wallet);
      if (side === 'buy') row.buys++;
      else row.sells++;
      if (side === 'buy') row.boughtUsd += usd ?? 0n;
      else row.soldUsd += usd ?? 0n;
      row.unpricedUsd += unpricedUsd;
    }
    for (const row of changed.values()) rows.set(row);
  },
});
