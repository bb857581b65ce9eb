import type { Hex } from '#libs/core/ids.js';
import { balances } from '../balances/projection.js';
import { firstTrades } from '../first-trades/projection.js';
import type { RowOf } from '../keyed-form.js';
import { type FoldInput, keyedProjection } from '../keyed-projection.js';
import { MOST_AMOUNT } from '../token-amounts.js';
import { bitOf, shownBits, traderTags } from '../trader-tags/projection.js';

/** What tagged wallets hold of a token, in raw units. */
export type TokenShares = RowOf<typeof fields>;

const fields = {
  key: { token: 'id' },
  values: {
    /** 1 where its first trade of all is in view, so that snipers and bundlers are known. */
    fresh: 'uint8',
    /** Wallets with one of the tags that are counted here. */
    tagged: 'uint64',
    creator: 'uint256',
    snipers: 'uint256',
    bundlers: 'uint256',
    insiders: 'uint256',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    tokenShares?: TokenShares[];
  }
}

const sums = { creator: 'creator', snipers: 'sniper', bundlers: 'bundler', insiders: 'insider' } as const;
const names = Object.keys(sums) as (keyof typeof sums)[];
const COUNTED = Object.values(sums).reduce((bits, tag) => bits | bitOf(tag), 0);

/**
 * Balances of tagged wallets, by tag. Invariant: each sum is that of the balances of the wallets that show the tag; a wallet with two
 * tags counts in both. A token without such wallets costs one look at its row.
 */
export const tokenShares = keyedProjection<TokenShares>({
  name: 'token-shares',
  version: 1,
  member: 'tokenShares',
  fields,
  needs: [balances, firstTrades, traderTags],
  fold(_, rows, input) {
    const changed = new Map<Hex, TokenShares>();
    const rowOf = (token: Hex): TokenShares => {
      let row = changed.get(token);
      if (row === undefined) {
        row = { ...rows.get({ token }) };
        changed.set(token, row);
      }
      return row;
    };
    for (const { after } of input.changes(firstTrades)) if (after.fresh === 1) rowOf(after.id).fresh = 1;
    for (const { token, tags, amounts } of changedWallets(input, (token) => rowOf(token).tagged > 0)) {
      const row = rowOf(token);
      row.tagged += Number((tags.after & COUNTED) !== 0) - Number((tags.before & COUNTED) !== 0);
      for (const name of names) {
        const bit = bitOf(sums[name]);
        if (tags.before & bit) row[name] -= amounts.before;
        if (tags.after & bit) row[name] += amounts.after;
      }
    }
    for (const row of changed.values()) rows.set(cut(row));
  },
});

/** Sums that no column holds are of a token whose balances do not add up: its shares are not shown. */
function cut(row: TokenShares): TokenShares {
  for (const name of names) {
    if (row[name] < 0n) row[name] = 0n;
    if (row[name] > MOST_AMOUNT) row[name] = MOST_AMOUNT;
  }
  return row;
}

interface ChangedWallet {
  readonly token: Hex;
  /** Bits as they are shown. */
  readonly tags: { readonly before: number; readonly after: number };
  readonly amounts: { readonly before: bigint; readonly after: bigint };
}

/** Wallets whose tags changed, and those with tags whose balance did. */
function* changedWallets(input: FoldInput, hasTagged: (token: Hex) => boolean): Iterable<ChangedWallet> {
  const done = new Set<string>();
  for (const { before, after } of input.changes(traderTags)) {
    const tags = { before: shownBits(before.tags), after: shownBits(after.tags) };
    if (tags.before === tags.after) continue;
    done.add(`${after.token} ${after.wallet}`);
    const amounts = { before: input.before(balances, after).amount, after: input.get(balances, after).amount };
    yield { token: after.token, tags, amounts };
  }
  for (const { before, after } of input.changes(balances)) {
    const { token, wallet } = after;
    if (!hasTagged(token) || done.has(`${token} ${wallet}`)) continue;
    const tags = shownBits(input.get(traderTags, after).tags);
    yield { token, tags: { before: tags, after: tags }, amounts: { before: before.amount, after: after.amount } };
  }
}
