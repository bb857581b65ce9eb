import { byId } from '#libs/core/by-id.js';
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
  /** What came by transfers, and what went. */
  came: bigint;
  went: bigint;
  /** Of the coin, where the chain shows it: what went less what came, unwrapped too; null where it does not. */
  paid: bigint | null;
  readonly trades: TradeStep[];
}

interface TradeStep {
  /** Of the trade. */
  readonly ordinal: number;
  readonly side: 'buy' | 'sell';
  /** What the wallet got or gave: what the pool did, less what of it taxes and fees kept, or with them. */
  units: bigint;
  usd: E18 | null;
  /** Units of the other token. */
  otherUnits: bigint;
  /** Whether the token is the base of the trade, from whose view it is counted where no token is named. */
  readonly isBase: boolean;
}

export interface TradeOutcome extends Readonly<TradeStep> {
  /**
   * Profit of a sale on units that had a cost; null where none had or the sale has no value. 0 where it is worth less than one unit
   * of that token of the trade of which there are fewer, or of the other one where these are few: amounts are whole units, so
   * nothing was won or lost.
   */
  readonly profitUsd: E18 | null;
  /** Units of a sale that had no cost, or whose sale has no value. */
  readonly unpriced: bigint;
  /** What these were sold for. */
  readonly unpricedUsd: E18;
}

/** What the chain shows to have been paid in the coin, of the coin's own token. */
export interface CoinPayments {
  readonly token: Hex;
  /** Null where it does not show it. */
  paid(tx: Hex, wallet: Hex): bigint | null;
}

/** A trade as its two tokens see it. */
interface Swap {
  readonly tx: Hex;
  readonly wallet: Hex;
  readonly ofBase: TradeStep;
  readonly ofQuote: TradeStep;
  readonly baseSteps: TxSteps;
  readonly quoteSteps: TxSteps;
}

type Moves = Pick<TransferFact, 'ordinal' | 'tx' | 'token' | 'from' | 'to' | 'amount'>;

/**
 * The steps of every token and wallet that a block's trades and transfers name, in the order of the block, in which all of a
 * transaction is together.
 */
export function stepsByPair(
  block: { trades: readonly TradeFact[]; transfers: readonly Moves[] },
  coin?: CoinPayments,
): PairSteps[] {
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
      steps = { tx, came: 0n, went: 0n, paid: null, trades: [] };
      pair.txs.push(steps);
    }
    return steps;
  };
  const move = ({ tx, token, from, to, amount }: Moves): void => {
    if (amount === 0n || from === to) return;
    if (!isZeroId(from)) stepsOf(tx, token, from, false).went += amount;
    if (!isZeroId(to)) stepsOf(tx, token, to, false).came += amount;
  };
  const { trades, transfers } = block;
  const swaps: Swap[] = [];
  let moved = 0;
  for (const trade of trades) {
    for (; moved < transfers.length && transfers[moved]!.ordinal < trade.ordinal; moved++) move(transfers[moved]!);
    const { ordinal, tx, wallet, base, quote, side, baseAmount, quoteAmount, volumeUsd: usd } = trade;
    const other = side === 'buy' ? 'sell' : 'buy';
    const ofBase: TradeStep = { ordinal, side, units: baseAmount, usd, otherUnits: quoteAmount, isBase: true };
    const ofQuote: TradeStep = { ordinal, side: other, units: quoteAmount, usd, otherUnits: baseAmount, isBase: false };
    const [baseSteps, quoteSteps] = [stepsOf(tx, base, wallet, true), stepsOf(tx, quote, wallet, true)];
    baseSteps.trades.push(ofBase);
    quoteSteps.trades.push(ofQuote);
    if (coin?.token === quote) quoteSteps.paid = coin.paid(tx, wallet);
    else if (coin?.token === base) baseSteps.paid = coin.paid(tx, wallet);
    swaps.push({ tx, wallet, ofBase, ofQuote, baseSteps, quoteSteps });
  }
  for (; moved < transfers.length; moved++) move(transfers[moved]!);
  for (let from = 0, to = 0; from < swaps.length; from = to) {
    while (to < swaps.length && swaps[to]!.tx === swaps[from]!.tx) to++;
    if (to - from === 1) countCash([swaps[from]!]);
    else for (const own of byId(swaps.slice(from, to), ({ wallet }) => wallet).values()) countCash(own);
  }
  return pairs;
}

/**
 * Makes the trades of a wallet in a transaction what it gave and got. Less of a bought token came than pools gave, or more of a sold one
 * went than they took: taxes and fees. Where more went and more came, some pools are not known, and the trades are that much larger.
 * Not where most of it was not the trades' (the rest is a gift then), where nothing is seen to come or go, as of the coin, nor where a
 * token was bought and sold, as on the way to another.
 */
function countCash(swaps: readonly Swap[]): void {
  const flows: Flow[] = [];
  let isWhole = true;
  let [moreCame, moreWent] = [false, false];
  for (const { baseSteps, quoteSteps } of swaps) {
    for (const steps of [baseSteps, quoteSteps]) {
      if (flows.some((flow) => flow.trades === steps.trades)) continue;
      const flow = flowOf(steps);
      if (flow === null) {
        isWhole = false;
        continue;
      }
      flows.push(flow);
      const { side, moved, swapped } = flow;
      if (moved <= swapped) continue;
      if (side === 'buy') moreCame = true;
      else moreWent = true;
      if (moved > MOST_LARGER * swapped) isWhole = false;
    }
  }
  const isLarger = moreCame && moreWent;
  for (const { trades, side, moved, swapped } of flows) {
    if (moved <= 0n || moved === swapped) continue;
    const isTaxed =
      side === 'buy' ? moved < swapped && 2n * moved >= swapped : moved > swapped && moved <= 2n * swapped;
    if (isLarger ? isWhole || moved < swapped : isTaxed) scale(trades, moved, swapped);
  }
  for (const swap of swaps) countFees(swap);
}

/** By how much trades may be larger than what the known pools of them moved. */
const MOST_LARGER = 4n;

/** What pools gave or took of a token in one direction, and what came or went of it. */
interface Flow {
  readonly trades: readonly TradeStep[];
  readonly side: TradeStep['side'];
  readonly swapped: bigint;
  readonly moved: bigint;
}

/** Null where it was bought and sold. */
function flowOf({ came, went, paid, trades }: TxSteps): Flow | null {
  const { side } = trades[0]!;
  let swapped = 0n;
  for (const trade of trades) {
    if (trade.side !== side) return null;
    swapped += trade.units;
  }
  const flow = paid ?? (side === 'buy' ? -came : went);
  return { trades, side, swapped, moved: side === 'buy' ? -flow : flow };
}

/** The last one takes what is left of the division. */
function scale(trades: readonly TradeStep[], to: bigint, from: bigint): void {
  let [left, of] = [to, from];
  for (const trade of trades) {
    const units = share(left, trade.units, of);
    left -= units;
    of -= trade.units;
    trade.units = units;
  }
}

/** Makes the value of a trade what the wallet paid or was paid in its quote token: fees outside the pool are in it. */
function countFees({ ofBase, ofQuote }: Swap): void {
  const { usd, otherUnits: swapped } = ofBase;
  if (usd !== null && swapped > 0n && ofQuote.units !== swapped) {
    ofBase.usd = (usd * ofQuote.units) / swapped;
    ofQuote.usd = ofBase.usd;
  }
  ofBase.otherUnits = ofQuote.units;
  ofQuote.otherUnits = ofBase.units;
}

/**
 * Lets the lots go through the steps of a block. In each transaction the net transfer less what the trades moved is a transfer
 * without cost: what came in before its trades, what went out after them. Invariant: the lots end with the balance `after`, so
 * bought less sold plus transfers is always the balance.
 */
export function runSteps(lots: Lots, { txs }: PairSteps, after: bigint): TradeOutcome[] {
  const outcomes: TradeOutcome[] = [];
  for (const { came, went, trades } of txs) {
    let transferred = came - went;
    for (const { side, units } of trades) transferred += side === 'buy' ? -units : units;
    if (transferred > 0n) lots.amount += transferred;
    for (const trade of trades) outcomes.push(trade.side === 'buy' ? buy(lots, trade) : sell(lots, trade));
    if (transferred < 0n) draw(lots, -transferred);
  }
  if (lots.amount > after) draw(lots, lots.amount - after);
  else lots.amount = after;
  return outcomes;
}

function buy(lots: Lots, trade: TradeStep): TradeOutcome {
  const { units, usd } = trade;
  lots.amount += units;
  if (usd !== null) {
    lots.priced += units;
    lots.costUsd += usd;
  }
  return outcomeOf(trade, null, 0n, 0n);
}

function sell(lots: Lots, trade: TradeStep): TradeOutcome {
  const { units, usd } = trade;
  const { priced, costUsd } = draw(lots, units);
  if (usd === null) return outcomeOf(trade, null, units, 0n);
  const proceeds = share(usd, priced, units);
  const profit = priced === 0n ? null : proceeds - costUsd;
  const profitUsd = profit !== null && isDust(profit, usd, trade) ? 0n : profit;
  return outcomeOf(trade, profitUsd, units - priced, usd - proceeds);
}

/** Field by field: a spread of each step took a tenth of the fold. */
function outcomeOf(trade: TradeStep, profitUsd: E18 | null, unpriced: bigint, unpricedUsd: E18): TradeOutcome {
  const { ordinal, side, units, usd, otherUnits, isBase } = trade;
  return { ordinal, side, units, usd, otherUnits, isBase, profitUsd, unpriced, unpricedUsd };
}

/** A unit of a token of which a trade has fewer is no small part of it. */
const MANY_UNITS = 10_000n;

function isDust(profit: E18, usd: E18, { units, otherUnits }: TradeStep): boolean {
  const [fewer, more] = units < otherUnits ? [units, otherUnits] : [otherUnits, units];
  return (profit < 0n ? -profit : profit) * (fewer < MANY_UNITS ? more : fewer) < usd;
}
