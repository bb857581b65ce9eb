import { least } from '#libs/core/bigint-order.js';
import type { Hex } from '#libs/core/ids.js';
import type { E18 } from '#libs/core/money.js';
import { type Funder, funders, groupsOf } from '../funders/projection.js';
import type { BlockFacts } from '../keyed-fold.js';
import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';
import { moneyOf } from '../money-tokens.js';
import { type Outcome, outcomesOf, positions } from '../positions/projection.js';

/** What the wallets of one funder traded in a pool, together, where `wallet` is empty, and each: values of the base token's buys and sales. */
export type LinkedTrades = RowOf<typeof fields>;

const fields = {
  key: { funder: 'id', pool: 'id', wallet: 'id' },
  values: {
    boughtUsd: 'sumE18',
    soldUsd: 'sumE18',
    /** Profits of its sales, and of its payments with the quote token. */
    madeSellingUsd: 'sumE18',
    madePayingUsd: 'sumE18',
    /** What of them the others' buys, and sales, paid for. */
    linkedSellingUsd: 'sumE18',
    linkedPayingUsd: 'sumE18',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    linkedTrades?: LinkedTrades[];
  }
}

/**
 * Trades of wallets of one funder in one pool, and what of their profits they made against each other: a wallet gets back first what
 * the others paid in, and only what is more than that was made against strangers. What they pay in after its profit counts, too, once
 * it sells again: they may have paid for what it would have lost.
 */
export const linkedTrades = keyedProjection<LinkedTrades>({
  name: 'linked-trades',
  version: 1,
  member: 'linkedTrades',
  fields,
  needs: [funders, positions],
  fold(block, rows, input) {
    const linked = new Map<Hex, E18>();
    linkedByBlock.set(block, linked);
    const isMoney = moneyOf(input.reference);
    const rowOf = (key: Pick<LinkedTrades, 'funder' | 'pool' | 'wallet'>): LinkedTrades => ({
      ...rows.get(key),
    });
    let outcomes: ReturnType<typeof outcomesByTrade> | undefined;
    for (const trade of block.trades) {
      const { wallet, pool, side, quote } = trade;
      const groups = groupsOf(wallet, (of) => input.get<Funder>(funders, { wallet: of }));
      if (groups.length === 0) continue;
      outcomes ??= outcomesByTrade(block);
      const [ofBase, ofQuote] = outcomes.get(trade.ordinal)!;
      const usd = ofBase.usd ?? 0n;
      const realized = side === 'sell' ? ofBase.profitUsd : isMoney(quote) ? null : ofQuote.profitUsd;
      const profit = realized !== null && realized > 0n ? realized : 0n;
      let most = 0n;
      for (const funder of groups) {
        const [all, own] = [rowOf({ funder, pool, wallet: '' }), rowOf({ funder, pool, wallet })];
        const sells = side === 'sell';
        const others = sells ? all.boughtUsd - own.boughtUsd : all.soldUsd - own.soldUsd;
        const made = (sells ? own.madeSellingUsd : own.madePayingUsd) + profit;
        const matched = least(made, others) - (sells ? own.linkedSellingUsd : own.linkedPayingUsd);
        if (matched > most) most = matched;
        for (const row of [all, own]) {
          if (sells) {
            row.soldUsd += usd;
            row.madeSellingUsd += profit;
            row.linkedSellingUsd += matched;
          } else {
            row.boughtUsd += usd;
            row.madePayingUsd += profit;
            row.linkedPayingUsd += matched;
          }
          rows.set(row);
        }
      }
      if (most > 0n) linked.set(wallet, (linked.get(wallet) ?? 0n) + most);
    }
  },
});

const linkedByBlock = new WeakMap<BlockFacts, ReadonlyMap<Hex, E18>>();

/** Profits that wallets of one funder made against each other in a block. Only for projections that need linked trades. */
export function linkedProfits(block: BlockFacts): ReadonlyMap<Hex, E18> {
  const linked = linkedByBlock.get(block);
  if (linked === undefined) throw new Error(`block ${block.height} was not folded into linked trades`);
  return linked;
}

function outcomesByTrade(block: BlockFacts): Map<number, [ofBase: Outcome, ofQuote: Outcome]> {
  const byTrade = new Map<number, [Outcome, Outcome]>();
  for (const { outcome } of outcomesOf(block)) {
    const both = byTrade.get(outcome.ordinal) ?? [outcome, outcome];
    both[outcome.isBase ? 0 : 1] = outcome;
    byTrade.set(outcome.ordinal, both);
  }
  return byTrade;
}
