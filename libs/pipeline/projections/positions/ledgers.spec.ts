import { readFileSync } from 'node:fs';
import { formatDecimal, parseDecimal } from '#libs/core/money.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { Lots } from './lots.js';
import { runSteps, stepsByPair } from './pair-steps.js';

const WALLET = 'aa';
const POOL = 'b0';
const IDS: Record<string, string> = { T: '70', U: '71', W: '72', USD: 'a1', SOL: 'c0' };
/** All tokens have six decimals. */
const units = (text: string): bigint => parseDecimal(text, 6);

/** The table of docs/profit.md whose first column is the name of a ledger. */
const rows = readFileSync(new URL('../../../../docs/profit.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter((cells) => cells.length === 8 && cells[0] !== 'Ledger' && /^a |^pump|^liq/.test(cells[0]!));

const TRADE = /^(buys|sells) ([\d.]+) (\w+) for ([\d.]+) (\w+)(?: worth ([\d.]+) USD)?$/;

interface Block {
  trades: TradeFact[];
  transfers: { ordinal: number; tx: string; token: string; from: string; to: string; amount: bigint }[];
  paid: bigint | undefined;
}

function blockOf(trade: string, balances: string): Block {
  const moves = [...balances.matchAll(/([+-])([\d.]+) (\w+)/g)].map(([, sign, amount, token]) => ({
    ...{ sign, amount: units(amount!), token: token! },
  }));
  // Lamports are no transfers.
  const transfers = moves
    .filter(({ token }) => token !== 'SOL')
    .map(({ sign, amount, token }, ordinal) => ({
      ...{ ordinal, tx: '01', token: IDS[token]!, amount },
      ...(sign === '+' ? { from: POOL, to: WALLET } : { from: WALLET, to: POOL }),
    }));
  const inSol = moves.find(({ token }) => token === 'SOL');
  const paid = inSol && (inSol.sign === '-' ? inSol.amount : -inSol.amount);
  const [, side, base, baseToken, quote, quoteToken, worth] = TRADE.exec(trade) ?? [];
  if (side === undefined) return { trades: [], transfers, paid };
  const fact = {
    ...{ ordinal: 100, tx: '01', wallet: WALLET, pool: POOL, base: IDS[baseToken!]!, quote: IDS[quoteToken!]! },
    ...{ side: side === 'buys' ? 'buy' : 'sell', baseAmount: units(base!), quoteAmount: units(quote!) },
    volumeUsd: parseDecimal(worth ?? quote!, 18),
  } as TradeFact;
  return { trades: [fact], transfers, paid };
}

it('has the lots and profits of the ledgers of docs/profit.md', () => {
  let kept = new Map<string, { lots: Lots; balance: bigint; profit: bigint }>();
  let name = '';
  for (const [ledger, trade, balances, token, held, priced, cost, profit] of rows as string[][]) {
    if (ledger !== name) kept = new Map();
    name = ledger!;
    const { trades, transfers, paid } = blockOf(trade!, balances!);
    const coin = paid === undefined ? undefined : { token: IDS.SOL!, paid: () => paid };
    for (const each of kept.values()) each.profit = 0n;
    for (const pair of stepsByPair({ trades, transfers }, coin)) {
      if (pair.wallet !== WALLET) continue;
      const of = kept.get(pair.token) ?? { lots: { amount: 0n, priced: 0n, costUsd: 0n }, balance: 0n, profit: 0n };
      kept.set(pair.token, of);
      of.balance = pair.txs.reduce((sum, { came, went }) => sum + came - went, of.balance);
      if (of.balance < 0n) of.balance = 0n;
      of.profit = runSteps(of.lots, pair, of.balance).reduce((sum, { profitUsd }) => sum + (profitUsd ?? 0n), 0n);
    }
    const { lots, profit: won } = kept.get(IDS[token!]!)!;
    const [amount, withCost] = [formatDecimal(lots.amount, 6), formatDecimal(lots.priced, 6)];
    const shown = { amount, withCost, cost: formatDecimal(lots.costUsd, 18), profit: formatDecimal(won, 18) };
    expect({ name, trade, ...shown }).toEqual({
      ...{ name, trade, amount: held, withCost: priced, cost },
      profit: profit || '0',
    });
  }
  expect(new Set(rows.map(([ledger]) => ledger)).size).toBe(7);
});
