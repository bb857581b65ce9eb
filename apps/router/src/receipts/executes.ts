import type { Hex } from '#libs/core/ids.js';
import type { TradeFact, TransferFact } from '#libs/protocol/facts.js';
import type { QuoteReceipt, ReceiptLeg } from '#libs/protocol/receipts.js';
import { platformFee } from '../quotes/platform-fee.js';

/** The token by which pools know a mint: the wrapped one where the mint is a chain's own coin. */
export type OtherTokenOf = (mint: Hex) => Hex;

/** Swaps of one transaction, in order. All of them have its sender as their wallet. */
export interface SwapTx {
  tx: Hex;
  trades: readonly TradeFact[];
  /** Of the same transaction. */
  transfers: () => readonly TransferFact[];
}

/** What a swap took of the wallet and gave it, as Execution has it. */
export interface ReceiptAmounts {
  readonly inAmount: bigint;
  readonly outAmount: bigint;
}

/**
 * What the receipt's swap moved in this transaction, or null when it is not in it: each leg's pools in order from the
 * input on, one leg after the other, with the exact amount of each and within its threshold. Other swaps may come between,
 * because a token may swap inside its own transfer. The caller compares the wallet.
 */
export function swapIn(receipt: QuoteReceipt, swaps: SwapTx, poolToken: OtherTokenOf): ReceiptAmounts | null {
  for (let start = 0; start < swaps.trades.length; start++) {
    const flows = followLegs(receipt, swaps.trades, start, poolToken(receipt.inputMint));
    const isWhole = flows?.every((flow, n) => movesAmount(receipt, receipt.legs[n]!, flow, swaps)) ?? false;
    if (!isWhole) continue;
    const amounts = walletAmounts(receipt, flows!);
    const { inAmount, outAmount } = amounts;
    const { exact, threshold } = receipt;
    if (exact === 'in' ? outAmount >= threshold : inAmount <= threshold) return amounts;
  }
  return null;
}

/** What went into a leg's first pool and came out of its last one. */
interface Flow {
  readonly in: bigint;
  readonly out: bigint;
}

/** Each leg, the first from `start` on; null where one of them is not there. */
function followLegs({ legs }: QuoteReceipt, trades: readonly TradeFact[], start: number, input: Hex): Flow[] | null {
  const flows: Flow[] = [];
  let at = start;
  for (const { hops } of legs) {
    if (flows.length > 0) at = placeOf(trades, at, hops[0]!.pool, input);
    if (at === trades.length || !isHop(trades[at]!, hops[0]!.pool, input)) return null;
    const first = trades[at++]!;
    let paid = bought(first);
    for (const { pool } of hops.slice(1)) {
      at = placeOf(trades, at, pool, paid.token);
      const trade = trades[at++];
      if (trade === undefined) return null;
      paid = bought(trade);
    }
    flows.push({ in: sold(first).amount, out: paid.amount });
  }
  return flows;
}

/** The next trade from `at` on of that token in that pool; the number of trades where there is none. */
function placeOf(trades: readonly TradeFact[], at: number, pool: Hex, token: Hex): number {
  while (at < trades.length && !isHop(trades[at]!, pool, token)) at++;
  return at;
}

const isHop = (trade: TradeFact, pool: Hex, token: Hex): boolean => trade.pool === pool && sold(trade).token === token;

function movesAmount(receipt: QuoteReceipt, { amount, leastIn }: ReceiptLeg, flow: Flow, swaps: SwapTx): boolean {
  if (receipt.exact === 'out') return flow.out === amount;
  return flow.in === amount || (flow.in < amount && (flow.in >= leastIn || paidInFull(receipt, swaps)));
}

/** A tax left less for the first pool: then the wallet's own transfers of the token add up to the whole amount. */
function paidInFull(receipt: QuoteReceipt, swaps: SwapTx): boolean {
  let paid = 0n;
  for (const { token, from, amount } of swaps.transfers()) {
    if (token === receipt.inputMint && from === receipt.wallet) paid += amount;
  }
  return paid === receipt.inAmount;
}

/** The side that is exact is as it was asked for, whatever a tax or a fee outside the pool left of it. */
function walletAmounts({ exact, feeBps, inAmount, quotedOut }: QuoteReceipt, flows: readonly Flow[]): ReceiptAmounts {
  const total = (amountOf: (flow: Flow) => bigint) => flows.reduce((sum, flow) => sum + amountOf(flow), 0n);
  const [paid, given] = [total((flow) => flow.in), total((flow) => flow.out)];
  return exact === 'in'
    ? { inAmount, outAmount: given - platformFee(given, feeBps) }
    : { inAmount: paid + platformFee(paid, feeBps), outAmount: quotedOut };
}

const sold = (trade: TradeFact) =>
  trade.side === 'sell'
    ? { token: trade.base, amount: trade.baseAmount }
    : { token: trade.quote, amount: trade.quoteAmount };

const bought = (trade: TradeFact) =>
  trade.side === 'sell'
    ? { token: trade.quote, amount: trade.quoteAmount }
    : { token: trade.base, amount: trade.baseAmount };
