import type { Hex } from '#libs/core/ids.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import type { Position } from '../projection.js';

const ZERO = /^(00)+$/;

/** A trade as one of its tokens sees it, and what came of it. */
export interface NaiveTrade {
  fact: TradeFact;
  token: Hex;
  wallet: Hex;
  time: number;
  base: boolean;
  bought: boolean;
  units: bigint;
  otherUnits: bigint;
  usd: bigint | null;
  /** Of a sale: the units that had a cost, and the cost. */
  priced: bigint;
  costUsd: bigint;
}

/**
 * Positions as a person would keep them: for each wallet and token that has a trade, a ledger from the first block on, in which
 * every transaction is looked for in all events of its block. In no order.
 */
export function naivePositions(blocks: readonly FactsBlock[]): Position[] {
  return naiveLedgers(blocks).map(({ position }) => position);
}

export function naiveLedgers(blocks: readonly FactsBlock[]): { position: Position; trades: NaiveTrade[] }[] {
  const pairs = new Set<string>();
  for (const { trades } of blocks) {
    for (const { wallet, base, quote } of trades) pairs.add(`${base} ${wallet}`).add(`${quote} ${wallet}`);
  }
  return [...pairs].map((pair) => {
    const [token, wallet] = pair.split(' ') as [Hex, Hex];
    return ledger(blocks, token, wallet);
  });
}

function ledger(blocks: readonly FactsBlock[], token: Hex, wallet: Hex): { position: Position; trades: NaiveTrade[] } {
  const done: NaiveTrade[] = [];
  let [free, paid, cost, balance] = [0n, 0n, 0n, 0n];
  const periods: { from: number; to: number | null }[] = [];
  const take = (units: bigint): { paid: bigint; cost: bigint } => {
    if (units > free + paid) free = units - paid;
    if (units === 0n) return { paid: 0n, cost: 0n };
    const outPaid = (paid * units) / (free + paid);
    const outCost = outPaid === paid ? cost : (cost * outPaid) / paid;
    free -= units - outPaid;
    paid -= outPaid;
    cost -= outCost;
    return { paid: outPaid, cost: outCost };
  };
  for (const block of blocks) {
    const moves = block.transfers
      .filter((one) => one.token === token && one.from !== one.to && (one.from === wallet || one.to === wallet))
      .filter(() => !ZERO.test(wallet))
      .map(({ ordinal, tx, from, amount }) => ({ ordinal, tx, change: from === wallet ? -amount : amount }));
    const trades = block.trades
      .filter((one) => one.wallet === wallet && (one.base === token || one.quote === token))
      .map((one) => ({
        ...{ fact: one, ordinal: one.ordinal, tx: one.tx, token, wallet, time: block.time, base: one.base === token },
        bought: (one.side === 'buy') === (one.base === token),
        ...cash(block, one, token),
      }));
    if (moves.length + trades.length === 0) continue;
    const after = balance + moves.reduce((sum, { change }) => sum + change, 0n);
    balance = after < 0n ? 0n : after;
    const txs = [...new Set([...moves, ...trades].sort((a, b) => a.ordinal - b.ordinal).map(({ tx }) => tx))];
    for (const tx of txs) {
      const own = trades.filter((trade) => trade.tx === tx);
      const net = moves.filter((move) => move.tx === tx).reduce((sum, { change }) => sum + change, 0n);
      const traded = own.reduce((sum, { bought, units }) => sum + (bought ? units : -units), 0n);
      if (net > traded) free += net - traded;
      for (const { ordinal: _, tx: __, ...trade } of own) {
        if (!trade.bought) {
          const out = take(trade.units);
          done.push({ ...trade, priced: out.paid, costUsd: out.cost });
          continue;
        }
        if (trade.usd === null) free += trade.units;
        else {
          paid += trade.units;
          cost += trade.usd;
        }
        done.push({ ...trade, priced: 0n, costUsd: 0n });
      }
      if (net < traded) take(traded - net);
    }
    // Blocks that do not add up: the balance is what it is.
    if (free + paid > balance) take(free + paid - balance);
    free = balance - paid;
    const open = periods.at(-1)?.to === null;
    if (balance > 0n && !open) periods.push({ from: block.time, to: null });
    if (balance === 0n && open) periods.at(-1)!.to = block.time;
  }
  // A period that was over before the first trade is not the position's.
  const first = done[0]!.time;
  const own = periods.filter(({ to }) => to === null || to >= first);
  const sum = (values: readonly (bigint | null)[]) =>
    values.reduce<bigint>((total, value) => total + (value ?? 0n), 0n);
  const buys = done.filter(({ bought }) => bought);
  const sells = done.filter(({ bought }) => !bought);
  const profits = sells.flatMap((sale) => naiveProfit(sale) ?? []);
  const valued = (trades: readonly NaiveTrade[]) => trades.filter(({ usd }) => usd !== null);
  const position: Position = {
    ...{ token, wallet, amount: balance, priced: paid, costUsd: cost },
    boughtUnits: sum(buys.map(({ units }) => units)),
    boughtValued: sum(valued(buys).map(({ units }) => units)),
    boughtUsd: sum(buys.map(({ usd }) => usd)),
    soldUnits: sum(sells.map(({ units }) => units)),
    soldValued: sum(valued(sells).map(({ units }) => units)),
    soldUsd: sum(sells.map(({ usd }) => usd)),
    soldUnpriced: sum(sells.map(({ usd, units, priced }) => (usd === null ? units : units - priced))),
    gainUsd: sum(profits.filter((profit) => profit > 0n)),
    lossUsd: -sum(profits.filter((profit) => profit < 0n)),
    ...{ buys: buys.length, sells: sells.length, closes: profits.length },
    wins: profits.filter((profit) => profit > 0n).length,
    ...{ firstTradeAt: first, lastTradeAt: done.at(-1)!.time },
    heldMs: own.reduce((total, { from, to }) => total + (to === null ? 0 : to - from), 0),
    heldSince: own.find(({ to }) => to === null)?.from ?? 0,
  };
  return { position, trades: done };
}

/** What a wallet gave or got in a trade: by the pool's amounts, with taxes and fees as its transfers show them. */
function cash(block: FactsBlock, trade: TradeFact, token: Hex): Pick<NaiveTrade, 'units' | 'otherUnits' | 'usd'> {
  const other = token === trade.base ? trade.quote : trade.base;
  const quoteUnits = taxed(block, trade, trade.quote);
  const usd =
    trade.volumeUsd === null || trade.quoteAmount === 0n
      ? trade.volumeUsd
      : (trade.volumeUsd * quoteUnits) / trade.quoteAmount;
  return { units: taxed(block, trade, token), otherUnits: taxed(block, trade, other), usd };
}

/** Of a wallet, a token and a transaction: which way it was traded, by how much, and how much moved that way; null for both ways. */
function flow({ trades, transfers }: FactsBlock, { tx, wallet }: TradeFact, token: Hex) {
  const own = trades.filter(
    (one) => one.tx === tx && one.wallet === wallet && (one.base === token || one.quote === token),
  );
  const buys = own.map((one) => (one.side === 'buy') === (one.base === token));
  if (buys.includes(true) && buys.includes(false)) return null;
  const parts = own.map((one) => (one.base === token ? one.baseAmount : one.quoteAmount));
  const moved = transfers
    .filter((one) => one.tx === tx && one.token === token && one.from !== one.to && !ZERO.test(wallet))
    .filter((one) => (buys[0] ? one.to : one.from) === wallet)
    .reduce((sum, { amount }) => sum + amount, 0n);
  return { own, parts, buys: buys[0]!, moved, swapped: parts.reduce((sum, part) => sum + part, 0n) };
}

function taxed(block: FactsBlock, trade: TradeFact, token: Hex): bigint {
  const units = trade.base === token ? trade.baseAmount : trade.quoteAmount;
  const of = flow(block, trade, token);
  if (of === null || of.moved === 0n) return units;
  const tokens = block.trades.filter(({ tx, wallet }) => tx === trade.tx && wallet === trade.wallet);
  const all = [...new Set(tokens.flatMap(({ base, quote }) => [base, quote]))].map((each) => flow(block, trade, each));
  const exceeds = (buys: boolean): boolean =>
    all.some((each) => each !== null && each.buys === buys && each.moved > each.swapped);
  const { moved, swapped, parts, own, buys } = of;
  if (exceeds(true) && exceeds(false)) {
    if (moved > swapped && !all.every((each) => each !== null && each.moved <= 4n * each.swapped)) return units;
  } else if (buys ? moved >= swapped || moved * 2n < swapped : moved <= swapped || moved > swapped * 2n) return units;
  let [left, whole] = [moved, swapped];
  for (const [index, part] of parts.entries()) {
    const its = part === whole ? left : part === 0n ? 0n : (left * part) / whole;
    if (own[index] === trade) return its;
    left -= its;
    whole -= part;
  }
  return units;
}

/** Of a sale: what the units with a cost were sold for, less the cost; null without a cost, and where the amounts are too coarse to tell. */
export function naiveProfit({ usd, units, otherUnits, priced, costUsd }: NaiveTrade): bigint | null {
  if (usd === null || priced === 0n) return null;
  const profit = (usd * priced) / units - costUsd;
  const [fewer, more] = [units, otherUnits].sort((a, b) => (a < b ? -1 : 1)) as [bigint, bigint];
  const size = profit < 0n ? -profit : profit;
  return size === 0n || size * (fewer < 10_000n ? more : fewer) < usd ? null : profit;
}
