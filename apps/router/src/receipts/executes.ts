import type { Hex } from '#libs/core/ids.js';
import type { TradeFact, TransferFact } from '#libs/protocol/facts.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';

/** The token by which pools know a mint: the wrapped one where the mint is a chain's own coin. */
export type PoolToken = (mint: Hex) => Hex;

/** Swaps of one transaction, in order. All of them have its sender as their wallet. */
export interface SwapTx {
  tx: Hex;
  trades: readonly TradeFact[];
  /** Of the same transaction. */
  transfers: () => readonly TransferFact[];
}

/**
 * What the receipt's swap gave in this transaction, or null when it is not in it: its pools in order from its
 * input on, its amount at the start and at least its floor at the end. Other swaps may come between, because a
 * token may swap inside its own transfer. The caller compares the wallet.
 */
export function outputIn(receipt: QuoteReceipt, swaps: SwapTx, poolToken: PoolToken): bigint | null {
  const input = poolToken(receipt.inputMint);
  for (let start = 0; start < swaps.trades.length; start++) {
    const given = follow(receipt, swaps.trades, start, input);
    if (given === null || given.out < receipt.floor) continue;
    if (given.in === receipt.inAmount) return given.out;
    if (given.in < receipt.inAmount && paidInFull(receipt, swaps)) return given.out;
  }
  return null;
}

/** The route from its first pool at `start`: what went in and what came out. */
function follow(receipt: QuoteReceipt, trades: readonly TradeFact[], start: number, input: Hex) {
  const first = trades[start]!;
  if (!isHop(first, receipt.hops[0]!, input)) return null;
  let paid = bought(first);
  let at = start + 1;
  for (const pool of receipt.hops.slice(1)) {
    while (at < trades.length && !isHop(trades[at]!, pool, paid.token)) at++;
    const trade = trades[at++];
    if (trade === undefined) return null;
    paid = bought(trade);
  }
  return { in: sold(first).amount, out: paid.amount };
}

const isHop = (trade: TradeFact, pool: Hex, token: Hex): boolean => trade.pool === pool && sold(trade).token === token;

/** A tax left less for the first pool: then the wallet's own transfers of the token add up to the whole amount. */
function paidInFull(receipt: QuoteReceipt, swaps: SwapTx): boolean {
  let paid = 0n;
  for (const { token, from, amount } of swaps.transfers()) {
    if (token === receipt.inputMint && from === receipt.wallet) paid += amount;
  }
  return paid === receipt.inAmount;
}

const sold = (trade: TradeFact) =>
  trade.side === 'sell'
    ? { token: trade.base, amount: trade.baseAmount }
    : { token: trade.quote, amount: trade.quoteAmount };

const bought = (trade: TradeFact) =>
  trade.side === 'sell'
    ? { token: trade.quote, amount: trade.quoteAmount }
    : { token: trade.base, amount: trade.baseAmount };
