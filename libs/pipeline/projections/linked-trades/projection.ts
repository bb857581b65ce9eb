import type { Hex } from '#libs/core/ids.js';
import type { E18 } from '#libs/core/money.js';
import { type Funder, funders, groupsOf } from '../funders/projection.js';
import type { BlockFacts } from '../keyed-fold.js';
import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';
import { moneyOf } from '../money-tokens.js';
import { type Outcome, outcomesOf, positions } from '../positions/projection.js';

/**
 * What the wallets of one funder traded in a pool in the hour of UTC in which they did last, together, where `wallet` is empty, and
 * each: values of the base token's buys and sales.
 */
export type LinkedTrades = RowOf<typeof fields>;

const fields = {
  key: { funder: 'id', pool: 'id', wallet: 'id' },
  values: {
    /** Hours since 1970-01-01. */
    hour: 'uint32',
    boughtUsd: 'sumE18',
    soldUsd: 'sumE18',
    /** Of a wallet's sales and buys what was against the others' buys and sales before them. */
    soldToOthersUsd: 'sumE18',
    boughtFromOthersUsd: 'sumE18',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    linkedTrades?: LinkedTrades[];
  }
}

const HOUR_MS = 3_600_000;

/** Trades of wallets of one funder in one pool within an hour, and what of their profits they made against each other. */
export const linkedTrades = keyedProjection<LinkedTrades>({
  name: 'linked-trades',
  version: 1,
  member: 'linkedTrades',
  fields,
  needs: [funders, positions],
  fold(block, rows, input) {
    const linked = new Map<Hex, E18>();
    linkedByBlock.set(block, linked);
    const hour = Math.floor(block.time / HOUR_MS);
    const isMoney = moneyOf(input.reference);
    const rowOf = (key: Pick<LinkedTrades, 'funder' | 'pool' | 'wallet'>): LinkedTrades => {
      const row = rows.get(key);
      if (row.hour === hour) return { ...row };
      return { ...key, hour, boughtUsd: 0n, soldUsd: 0n, soldToOthersUsd: 0n, boughtFromOthersUsd: 0n };
    };
    let outcomes: ReturnType<typeof outcomesByTrade> | undefined;
    for (const trade of block.trades) {
      const { wallet, pool, side, quote } = trade;
      const groups = groupsOf(wallet, (of) => input.get<Funder>(funders, { wallet: of }));
      if (groups.length === 0) continue;
      outcomes ??= outcomesByTrade(block);
      const [ofBase, ofQuote] = outcomes.get(trade.ordinal)!;
      const usd = ofBase.usd ?? 0n;
      let most = 0n;
      for (const funder of groups) {
        const [all, own] = [rowOf({ funder, pool, wallet: '' }), rowOf({ funder, pool, wallet })];
        const left =
          side === 'sell'
            ? all.boughtUsd - own.boughtUsd - own.soldToOthersUsd
            : all.soldUsd - own.soldUsd - own.boughtFromOthersUsd;
        const matched = left <= 0n ? 0n : left < usd ? left : usd;
        if (matched > most) most = matched;
        if (side === 'sell') own.soldToOthersUsd += matched;
        else own.boughtFromOthersUsd += matched;
        for (const row of [all, own]) {
          if (side === 'sell') row.soldUsd += usd;
          else row.boughtUsd += usd;
          rows.set(row);
        }
      }
      const profit = side === 'sell' ? ofBase.profitUsd : isMoney(quote) ? null : ofQuote.profitUsd;
      if (profit === null || profit <= 0n || most === 0n) continue;
      linked.set(wallet, (linked.get(wallet) ?? 0n) + (profit * most) / usd);
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
