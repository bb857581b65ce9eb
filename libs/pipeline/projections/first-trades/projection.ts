import type { Hex } from '#libs/core/ids.js';
import { COMPLETE, holders } from '../holders/projection.js';
import { type KeyedRows, keyedProjection } from '../keyed-projection.js';
import { LAUNCHED, launches } from '../launches/projection.js';

/** The first trade that the log has of a token, from either of its sides, or of a wallet. */
export interface FirstTrade {
  subject: 'token' | 'wallet';
  id: Hex;
  height: number;
  /** Unix ms of its block. */
  startedAt: number;
  /** Of a token: 1 where its creation is in view, so that no trade came before. */
  fresh: number;
}

declare module '#libs/protocol/facts.js' {
  interface FactsBlock {
    firstTrades?: FirstTrade[];
  }
  interface FactsRetract {
    firstTrades?: FirstTrade[];
  }
}

/**
 * Where tokens and wallets begin to trade. A token's creation is in view when a launchpad named it, or when its balances
 * add up at the end of the block.
 */
export const firstTrades = keyedProjection<FirstTrade>({
  name: 'first-trades',
  version: 1,
  member: 'firstTrades',
  table: 'first_trades',
  key: [
    { name: 'subject', kind: 'label', column: 'word' },
    { name: 'id', kind: 'id', column: 'id' },
  ],
  values: [
    { name: 'height', kind: 'unsigned', column: 'uint64' },
    { name: 'startedAt', kind: 'unsigned', column: 'uint64' },
    { name: 'fresh', kind: 'unsigned', column: 'uint8' },
  ],
  needs: [holders, launches],
  fold({ trades, height, time: startedAt }, rows, input) {
    const isFresh = (token: Hex): boolean =>
      input.get(launches, { token }).origin === LAUNCHED || input.get(holders, { token }).standing === COMPLETE;
    for (const { base, quote, wallet } of trades) {
      for (const id of [base, quote]) {
        if (isFirst(rows, { subject: 'token', id }))
          rows.set({ subject: 'token', id, height, startedAt, fresh: Number(isFresh(id)) });
      }
      if (isFirst(rows, { subject: 'wallet', id: wallet }))
        rows.set({ subject: 'wallet', id: wallet, height, startedAt, fresh: 0 });
    }
  },
});

const isFirst = (rows: KeyedRows<FirstTrade>, key: Pick<FirstTrade, 'subject' | 'id'>): boolean =>
  rows.get(key).startedAt === 0;
