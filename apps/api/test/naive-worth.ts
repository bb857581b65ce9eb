import { toDisplayNumber } from '#libs/core/money.js';
import type { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { amountUsd } from '#libs/pipeline/fold/price-rule.js';
import { naiveBalances } from '#libs/pipeline/projections/balances/test/oracle.js';
import { naiveHolders } from '#libs/pipeline/projections/holders/test/oracle.js';
import { naivePositions } from '#libs/pipeline/projections/positions/test/oracle.js';

/** Worked out once: a naive market asks all of its blocks each time. */
const prices = new WeakMap<NaiveMarket, Map<string, ReturnType<NaiveMarket['price']>>>();
export function priceOf(naive: NaiveMarket, token: string): ReturnType<NaiveMarket['price']> {
  const known = prices.get(naive) ?? new Map<string, ReturnType<NaiveMarket['price']>>();
  prices.set(naive, known);
  if (!known.has(token)) known.set(token, naive.price(token));
  return known.get(token)!;
}

/** Why balances of a token are not known; null where they are. */
const reasons = new WeakMap<NaiveMarket, Map<string, 'history' | 'contradicted' | null>>();
export function unknownOf(naive: NaiveMarket, token: string): 'history' | 'contradicted' | null {
  let known = reasons.get(naive);
  if (known === undefined) {
    const names = ['history', null, 'contradicted'] as const;
    known = new Map(naiveHolders(naive.blocks, naive.fromBeginning).map((row) => [row.token, names[row.standing]!]));
    reasons.set(naive, known);
  }
  return known.get(token) === undefined ? 'history' : known.get(token)!;
}

/** All that a wallet holds of what is known and has a price, traded or not; null where nothing is known of what it traded. */
export function worthOf(naive: NaiveMarket, wallet: string): number | null {
  const isKnown = ({ token }: { token: string }): boolean => unknownOf(naive, token) === null;
  const held = naiveBalances(naive.blocks).filter((row) => row.wallet === wallet && isKnown(row));
  const traded = naivePositions(naive.blocks).filter((row) => row.wallet === wallet);
  if (held.length === 0 && !traded.every(isKnown)) return null;
  let worth = 0n;
  for (const { token, amount } of held) {
    const decimals = naive.tokens().find((record) => record.token === token)?.decimals ?? null;
    const price = priceOf(naive, token);
    if (decimals !== null && price !== null) worth += amountUsd(amount, decimals, price) ?? 0n;
  }
  return toDisplayNumber(worth, 18);
}
