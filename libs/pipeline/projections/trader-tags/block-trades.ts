import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { E18 } from '#libs/core/money.js';
import type { BlockGroup } from '#libs/protocol/blocks.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { IsMoney } from '../money-tokens.js';
import { BUNDLE_WALLETS } from './tags.js';

/** A trade as one of its tokens sees it, money left out. */
export interface TokenTrade {
  readonly token: Hex;
  readonly wallet: Hex;
  readonly pool: Hex;
  readonly tx: Hex;
  readonly buys: boolean;
  readonly volumeUsd: E18 | null;
}

/** In the order of the block. */
export function tokenTrades(trades: readonly TradeFact[], isMoney: IsMoney): Map<Hex, TokenTrade[]> {
  const sides: TokenTrade[] = [];
  for (const { base, quote, wallet, pool, tx, side, volumeUsd } of trades) {
    const buysBase = side === 'buy';
    if (!isMoney(base)) sides.push({ token: base, wallet, pool, tx, buys: buysBase, volumeUsd });
    if (!isMoney(quote)) sides.push({ token: quote, wallet, pool, tx, buys: !buysBase, volumeUsd });
  }
  return byId(sides, ({ token }) => token);
}

/** Wallets that bought in transactions that directly follow one another, or in one and the same, at least so many at a time. */
export function bundledWallets(trades: readonly TokenTrade[], { txs }: BlockGroup): Set<Hex> {
  const places = new Map(txs.map(({ id, index }) => [id, index]));
  const bundled = new Set<Hex>();
  let run = new Set<Hex>();
  let last = Number.NEGATIVE_INFINITY;
  for (const { buys, tx, wallet } of trades) {
    if (!buys) continue;
    const place = places.get(tx)!;
    if (place - last > 1) run = new Set();
    last = place;
    run.add(wallet);
    if (run.size >= BUNDLE_WALLETS) for (const one of run) bundled.add(one);
  }
  return bundled;
}

/** Wallets that traded on both sides of another wallet's trade in the same pool, first in its direction, in two transactions. */
export function sandwichingWallets(trades: readonly TokenTrade[]): Set<Hex> {
  const found = new Set<Hex>();
  // Before, between and after: it takes three.
  if (trades.length < 3) return found;
  const pools = byId(trades, ({ pool }) => pool);
  for (const inPool of pools.values()) {
    if (inPool.length < 3) continue;
    // Of each wallet and direction its first trade, and how many others had traded in that direction by then.
    const first = new Map<string, { tx: Hex; others: number }>();
    const counts = new Map<string, number>();
    const countOf = (key: string): number => counts.get(key) ?? 0;
    for (const { wallet, buys, tx } of inPool) {
      const opened = first.get(`${wallet} ${!buys}`);
      if (opened !== undefined && opened.tx !== tx) {
        const others = countOf(`${!buys}`) - countOf(`${wallet} ${!buys}`);
        if (others > opened.others) found.add(wallet);
      }
      const own = `${wallet} ${buys}`;
      if (!first.has(own)) first.set(own, { tx, others: countOf(`${buys}`) - countOf(own) });
      for (const key of [`${buys}`, own]) counts.set(key, countOf(key) + 1);
    }
  }
  return found;
}

/**
 * Tokens and wallets of transactions in which a wallet's trades, in two pools or more, left it with less of no token. A swap along
 * a path is none: it leaves less of what was paid with.
 */
export function* arbitrages(trades: readonly TradeFact[]): Iterable<{ token: Hex; wallet: Hex }> {
  if (trades.length < 2) return;
  for (const own of byId(trades, ({ tx, wallet }) => `${tx} ${wallet}`).values()) {
    if (new Set(own.map(({ pool }) => pool)).size < 2) continue;
    const net = new Map<Hex, bigint>();
    const move = (token: Hex, amount: bigint): void => void net.set(token, (net.get(token) ?? 0n) + amount);
    for (const { base, quote, side, baseAmount, quoteAmount } of own) {
      move(base, side === 'buy' ? baseAmount : -baseAmount);
      move(quote, side === 'buy' ? -quoteAmount : quoteAmount);
    }
    if ([...net.values()].some((amount) => amount < 0n)) continue;
    for (const token of net.keys()) yield { token, wallet: own[0]!.wallet };
  }
}
