import type { Hex } from '#libs/core/ids.js';
import { type Balance, balances } from '../balances/projection.js';
import type { BlockFacts } from '../keyed-fold.js';
import type { RowOf } from '../keyed-form.js';
import { type FoldInput, keyedProjection } from '../keyed-projection.js';
import { MOST_AMOUNT } from '../token-amounts.js';
import type { Lots } from './lots.js';
import { type CoinPayments, runSteps, stepsByPair, type TradeOutcome } from './pair-steps.js';

/** What a wallet did with a token and has of it, from its first trade of it on, in raw units and USD at the trades' blocks. */
export type Position = RowOf<typeof fields>;

const fields = {
  key: { token: 'id', wallet: 'id' },
  values: {
    /** The wallet's balance. */
    amount: 'uint256',
    /** What of it was bought at a known price, and what that cost on average: transfers and sales take from it in proportion. */
    priced: 'uint256',
    costUsd: 'sumE18',
    boughtUnits: 'uint256',
    /** Those bought at a known price, and the price. */
    boughtValued: 'uint256',
    boughtUsd: 'sumE18',
    soldUnits: 'uint256',
    soldValued: 'uint256',
    soldUsd: 'sumE18',
    /** Sold units that had no cost, or whose sale has no value. */
    soldUnpriced: 'uint256',
    /** Profits of sales with a profit, and losses of the others: on the units that had a cost. */
    gainUsd: 'sumE18',
    lossUsd: 'sumE18',
    buys: 'uint64',
    sells: 'uint64',
    /** Sales with a profit or a loss, and those of them with a profit. */
    closes: 'uint64',
    wins: 'uint64',
    /** Unix ms. */
    firstTradeAt: 'uint64',
    lastTradeAt: 'uint64',
    /** How long it held some, up to the end of the last period; ms. */
    heldMs: 'uint64',
    /** Unix ms since which it holds some; 0 while it holds none. */
    heldSince: 'uint64',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    positions?: Position[];
  }
}

/** Positions by token and wallet, at average cost. A wallet that never traded a token has none: its balance says all. */
export const positions = keyedProjection<Position>({
  name: 'positions',
  version: 1,
  member: 'positions',
  fields,
  copies: [{ name: 'positions_by_wallet', added: [], orderBy: ['wallet', 'token', 'seq'], rows: 1 }],
  needs: [balances],
  fold(block, rows, input) {
    const found: WalletOutcome[] = [];
    outcomesByBlock.set(block, found);
    if (block.trades.length === 0 && block.transfers.length === 0) return;
    for (const steps of stepsByPair(block, coinPayments(input))) {
      const before = rows.get(steps);
      if (!steps.traded && before.firstTradeAt === 0) continue;
      const held = input.before(balances, steps);
      const lots = openLots(before, held);
      const outcomes = runSteps(lots, steps, input.get(balances, steps).amount);
      const row: Position = { ...before };
      row.amount = lots.amount;
      row.priced = lots.priced;
      row.costUsd = lots.costUsd;
      for (const outcome of outcomes) {
        count(row, outcome, block.time);
        found.push({ wallet: steps.wallet, outcome });
      }
      hold(row, before.firstTradeAt === 0 ? held.firstAt : before.heldSince, block.time);
      rows.set(row);
    }
  },
  *touches({ events }) {
    for (const event of events) {
      if (event.kind !== 'transfer') continue;
      yield { token: event.token, wallet: event.from };
      yield { token: event.token, wallet: event.to };
    }
  },
});

export type Outcome = TradeOutcome;

/** The result of a trade, from the view of one of its tokens. */
interface WalletOutcome {
  readonly wallet: Hex;
  readonly outcome: Outcome;
}

/** What the fold of positions found of each block, for the projections that need it. */
const outcomesByBlock = new WeakMap<BlockFacts, readonly WalletOutcome[]>();

/** The results of a block's trades, two each. Only for projections that need positions: the fold of these has made them. */
export function outcomesOf(block: BlockFacts): readonly WalletOutcome[] {
  const outcomes = outcomesByBlock.get(block);
  if (outcomes === undefined) throw new Error(`block ${block.height} was not folded into positions`);
  return outcomes;
}

/** Of a block of a chain that shows them. */
function coinPayments({ group, reference }: FoldInput): CoinPayments | undefined {
  let byWallet: Map<string, bigint> | undefined;
  for (const event of group.events) {
    if (event.kind !== 'payment') continue;
    byWallet ??= new Map();
    byWallet.set(`${group.txs[event.tx]!.id} ${event.wallet}`, event.paid);
  }
  const payments = byWallet;
  if (payments === undefined) return undefined;
  return { token: reference.coin.token, paid: (tx, wallet) => payments.get(`${tx} ${wallet}`) ?? null };
}

/** What a wallet holds before its first trade came by transfer. */
function openLots({ firstTradeAt, amount, priced, costUsd }: Position, held: Pick<Balance, 'amount'>): Lots {
  return { amount: firstTradeAt === 0 ? held.amount : amount, priced, costUsd };
}

function count(row: Position, outcome: TradeOutcome, time: number): void {
  const { side, units, usd, profitUsd, unpriced } = outcome;
  if (side === 'buy') {
    row.buys++;
    row.boughtUnits = most(row.boughtUnits + units);
    if (usd !== null) row.boughtValued = most(row.boughtValued + units);
    row.boughtUsd += usd ?? 0n;
  } else {
    row.sells++;
    row.soldUnits = most(row.soldUnits + units);
    if (usd !== null) row.soldValued = most(row.soldValued + units);
    row.soldUsd += usd ?? 0n;
    row.soldUnpriced = most(row.soldUnpriced + unpriced);
  }
  if (profitUsd !== null && profitUsd !== 0n) {
    row.closes++;
    if (profitUsd > 0n) row.wins++;
    if (profitUsd > 0n) row.gainUsd += profitUsd;
    else row.lossUsd -= profitUsd;
  }
  if (row.firstTradeAt === 0) row.firstTradeAt = time;
  row.lastTradeAt = time;
}

/** Periods in which it holds some begin and end with a block. */
function hold(row: Position, since: number, time: number): void {
  if (row.amount > 0n) {
    row.heldSince = since || time;
    return;
  }
  if (since !== 0) row.heldMs += Math.max(0, time - since);
  row.heldSince = 0;
}

const most = (amount: bigint): bigint => (amount > MOST_AMOUNT ? MOST_AMOUNT : amount);
