import type { Hex } from '#libs/core/ids.js';
import { holders, isComplete } from '../holders/projection.js';
import type { RowOf } from '../keyed-form.js';
import { type KeyedRows, keyedProjection } from '../keyed-projection.js';
import { LAUNCHED, launches } from '../launches/projection.js';

/** The first trade that the log has of a token, from either of its sides, or of a wallet. */
export type FirstTrade = RowOf<typeof fields> & { subject: 'token' | 'wallet' };

const fields = {
  key: { subject: 'word', id: 'id' },
  values: {
    height: 'uint64',
    /** Unix ms of its block. */
    startedAt: 'uint64',
    /** Of a token: 1 where its creation is in view, so that no trade came before. */
    fresh: 'uint8',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
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
  fields,
  needs: [holders, launches],
  fold({ trades, height, time: startedAt }, rows, input) {
    const isFresh = (token: Hex): boolean =>
      input.get(launches, { token }).origin === LAUNCHED || isComplete(input.get(holders, { token }));
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
