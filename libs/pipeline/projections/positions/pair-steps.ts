import type { Hex } from '#libs/core/ids.js';
import type { E18 } from '#libs/core/money.js';
import type { TradeFact, TransferFact } from '#libs/protocol/facts.js';
import { isZeroId } from '../token-amounts.js';
import { draw, type Lots, share } from './lots.js';

/** What a block did with one token of one wallet, transaction by transaction. */
export interface PairSteps {
  readonly token: Hex;
  readonly wallet: Hex;
  readonly txs: TxSteps[];
  traded: boolean;
}

interface TxSteps {
  readonly tx: Hex;
  /** What came by transfers less what went. */
  net: bigint;
  readonly trades: TradeStep[];
}

interface TradeStep {
  readonly side: 'buy' | 'sell';
  readonly units: bigint;
  readonly usd: E18 | null;
  /** Whether the token is the base of the trade, from whose view it is counted where no token is named. */
  readonly isBase: boolean;
}

export interface TradeOutcome extends TradeStep {
  /** Profit of a sale on units that had a cost; null where none had or the sale has no value. */
  readonly profitUsd: E18 | null;
  /** Units of a sale that had no cost, or whose sale has no value. */
  readonly unpriced: bigint;
  /** What these were sold for. */
  readonly unpricedUsd: E18;
}

type Moves = Pick<TransferFact, 'ordinal' | 'tx' | 'token' | 'from' | 'to' | 'amount'>;

/**
 * The steps of every token and wallet that a block's trades and transfers name, in the order of the block, in which all of a
 * transaction is together.
 */
export function stepsByPair(block: { trades: readonly TradeFact[]; transfers: readonly Moves[] }): PairSteps[] {
  const pairs: PairSteps[] = [];
  const byToken = new Map<Hex, Map<Hex, PairSteps>>();
  const stepsOf = (tx: Hex, token: Hex, wallet: Hex, traded: boolean): TxSteps => {
    let byWallet = byToken.get(token);
    if (byWallet === undefined) {
      byWallet = new Map();
      byToken.set(token, byWallet);
    }
    let pair = byWallet.get(wallet);
    if (pair === undefined) {
      pair = { token, wallet, txs: [], traded: false };
      byWallet.set(wallet, pair);
      pairs.push(pair);
    }
    pair.traded ||= traded;
    let steps = pair.txs.at(-1);
    if (steps?.tx !== tx) {
      steps = { tx, net: 0n, trades: [] };
      pair.txs.push(steps);
    }
    return steps;
  };
  const move = ({ tx, token, from, to, amount }: Moves): void => {
    if (amount === 0n || from === to) return;
    if (!isZeroId(from)) stepsOf(tx, token, from, false).net -= amount;
    if (!isZeroId(to)) stepsOf(tx, token, to, false).net += amount;
  };
  const { trades, transfers } = block;
  let moved = 0;
  for (const trade of trades) {
    for (; moved < transfers.length && transfers[moved]!.ordinal < trade.ordinal; moved++) move(transfers[moved]!);
    const { tx, wallet, base, quote, side, baseAmount, quoteAmount, volumeUsd: usd } = trade;
    const other = side === 'buy' ? 'sell' : 'buy';
    stepsOf(tx, base, wallet, true).trades.push({ side, units: baseAmount, usd, isBase: true });
    stepsOf(tx, quote, wallet, true).trades.push({ side: other, units: quoteAmount, usd, isBase: false });
  }
  for (; moved < transfers.length; moved++) move(transfers[moved]!);
  return pairs;
}

/**
 * Lets the lots go through the steps of a block. In each transaction the net transfer less what the trades moved is a transfer
 * without cost: what came in before its trades, what went out after them. Invariant: the lots end with the balance `after`, so
 * bought less sold plus transfers is always the balance.
 */
export function runSteps(lots: Lots, { txs }: PairSteps, after: bigint): TradeOutcome[] {
  const outcomes: TradeOutcome[] = [];
  for (const { net, trades } of txs) {
    let transferred = net;
    for (const { side, units } of trades) transferred += side === 'buy' ? -units : units;
    if (transferred > 0n) lots.amount += transferred;
    for (const trade of trades) outcomes.push(trade.side === 'buy' ? buy(lots, trade) : sell(lots, trade));
    if (transferred < 0n) draw(lots, -transferred);
  }
  if (lots.amount > after) draw(lots, lots.amount - after);
  else lots.amount = after;
  return outcomes;
}

function buy(lots: Lots, { side, units, usd, isBase }: TradeStep): TradeOutcome {
  lots.amount += units;
  if (usd !== null) {
    lots.priced += units;
    lots.costUsd += usd;
  }
  return { side, units, usd, isBase, profitUsd: null, unpriced: 0n, unpricedUsd: 0n };
}

function sell(lots: Lots, { side, units, usd, isBase }: TradeStep): TradeOutcome {
  const { priced, costUsd } = draw(lots, units);
  if (usd === null) return { side, units, usd, isBase, profitUsd: null, unpriced: units, unpricedUsd: 0n };
  const proceeds = share(usd, priced, units);
  const profitUsd = priced === 0n ? null : proceeds - costUsd;
  return { side, units, usd, isBase, profitUsd, unpriced: units - priced, unpricedUsd: usd - proceeds };
}
