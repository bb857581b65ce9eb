import type { Hex } from '#libs/core/ids.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { Lots } from './lots.js';
import { runSteps, stepsByPair, type TradeOutcome } from './pair-steps.js';

const USD = 10n ** 18n;
const [WALLET, POOL, FEES, FRIEND] = ['aa', 'b0', 'fe', 'f1'];
const [TOKEN, MONEY, COIN] = ['70', 'a1', 'c0'];

interface Step {
  side: 'buy' | 'sell';
  /** Of the pool. */
  base: bigint;
  quote: bigint;
  usd: bigint;
  moves?: [from: Hex, to: Hex, token: Hex, amount: bigint][];
  paid?: bigint;
  quoteToken?: Hex;
}

/** What a wallet that holds nothing has and won of the token and of what it pays with, one transaction a block. */
function ledger(...steps: Step[]): Record<'token' | 'money', { lots: Lots; outcomes: TradeOutcome[] }> {
  const newLots = (): Lots => ({ amount: 0n, priced: 0n, costUsd: 0n });
  const kept = { token: { lots: newLots(), outcomes: [] }, money: { lots: newLots(), outcomes: [] } } as ReturnType<
    typeof ledger
  >;
  for (const { side, base, quote, usd, moves = [], paid, quoteToken = MONEY } of steps) {
    const trade = {
      ...{ ordinal: 100, tx: '01', wallet: WALLET, pool: POOL, base: TOKEN, quote: quoteToken, side },
      ...{ baseAmount: base, quoteAmount: quote, volumeUsd: usd },
    } as TradeFact;
    const transfers = moves.map(([from, to, token, amount], ordinal) => ({
      ordinal,
      tx: '01',
      from,
      to,
      token,
      amount,
    }));
    const coin = paid === undefined ? undefined : { token: COIN, paid: () => paid };
    for (const pair of stepsByPair({ trades: [trade], transfers }, coin)) {
      if (pair.wallet !== WALLET) continue;
      const of = pair.token === TOKEN ? kept.token : kept.money;
      const net = pair.txs.reduce((sum, { came, went }) => sum + came - went, of.lots.amount);
      of.outcomes.push(...runSteps(of.lots, pair, net > 0n ? net : 0n));
    }
  }
  return kept;
}

const profitOf = ({ outcomes }: { outcomes: TradeOutcome[] }): bigint[] =>
  outcomes.flatMap(({ profitUsd }) => profitUsd ?? []);

describe('profit as cash', () => {
  it('has the tax of a token in the cost, and in what a sale brings', () => {
    const bought: Step = {
      ...{ side: 'buy', base: 100n, quote: 100_000n, usd: 100n * USD },
      moves: [
        [WALLET, POOL, MONEY, 100_000n],
        [POOL, WALLET, TOKEN, 90n],
        [POOL, FEES, TOKEN, 10n],
      ],
    };
    const sold: Step = {
      ...{ side: 'sell', base: 81n, quote: 81_000n, usd: 81n * USD },
      moves: [
        [WALLET, FEES, TOKEN, 9n],
        [WALLET, POOL, TOKEN, 81n],
        [POOL, WALLET, MONEY, 81_000n],
      ],
    };
    expect(ledger(bought).token.lots).toEqual({ amount: 90n, priced: 90n, costUsd: 100n * USD });
    const { token, money } = ledger(bought, sold);
    expect(token.lots).toEqual({ amount: 0n, priced: 0n, costUsd: 0n });
    expect(profitOf(token)).toEqual([-19n * USD]);
    expect(money.lots).toMatchObject({ costUsd: 81n * USD });
  });

  it('has fees beside the pool in the cost, whatever is paid with, and once', () => {
    const bought: Step = {
      ...{ side: 'buy', base: 50_000n, quote: 100_000n, usd: 100n * USD },
      moves: [
        [WALLET, FEES, MONEY, 3_000n],
        [WALLET, POOL, MONEY, 100_000n],
        [POOL, WALLET, TOKEN, 50_000n],
      ],
    };
    const sold: Step = {
      ...{ side: 'sell', base: 50_000n, quote: 100_000n, usd: 100n * USD },
      moves: [
        [WALLET, POOL, TOKEN, 50_000n],
        [POOL, FEES, MONEY, 2_000n],
        [POOL, WALLET, MONEY, 98_000n],
      ],
    };
    const { token, money } = ledger(bought, sold);
    expect(profitOf(token)).toEqual([-5n * USD]);
    expect(profitOf(money)).toEqual([]);
    expect(money.lots).toEqual({ amount: 98_000n, priced: 98_000n, costUsd: 98n * USD });
  });

  it('takes what the chain shows to have been paid in the coin', () => {
    const of = { quoteToken: COIN, quote: 100_000n, base: 50_000n, usd: 100n * USD } as const;
    const bought: Step = { side: 'buy', ...of, paid: 101_250n, moves: [[POOL, WALLET, TOKEN, 50_000n]] };
    const sold: Step = { side: 'sell', ...of, paid: -98_750n, moves: [[WALLET, POOL, TOKEN, 50_000n]] };
    expect(profitOf(ledger(bought, sold).token)).toEqual([-2_500n * (USD / 1_000n)]);
    // What has little to do with the trade is none of its cost.
    expect(ledger({ ...bought, paid: 900_000n }).token.lots.costUsd).toBe(100n * USD);
    expect(ledger({ ...bought, paid: -5n }).token.lots.costUsd).toBe(100n * USD);
  });

  it('takes trades for larger where more went and more came than the known pools moved', () => {
    const split: Step = {
      ...{ side: 'sell', base: 60n, quote: 120_000n, usd: 120n * USD },
      moves: [
        [WALLET, POOL, TOKEN, 100n],
        [POOL, WALLET, MONEY, 200_000n],
      ],
    };
    const bought: Step = {
      ...{ side: 'buy', base: 100n, quote: 100_000n, usd: 100n * USD },
      moves: [[POOL, WALLET, TOKEN, 100n]],
    };
    expect(profitOf(ledger(bought, split).token)).toEqual([100n * USD]);
  });

  it('takes most of what was bought to be given away for a gift, which takes its cost along', () => {
    const given: Step = {
      ...{ side: 'buy', base: 100n, quote: 100_000n, usd: 100n * USD },
      moves: [
        [POOL, WALLET, TOKEN, 20n],
        [POOL, FRIEND, TOKEN, 80n],
      ],
    };
    expect(ledger(given).token.lots).toEqual({ amount: 20n, priced: 20n, costUsd: 20n * USD });
  });

  it('wins and loses nothing by less than a unit of the coarser token, and by more of it', () => {
    const buy = (usd: bigint): Step => ({
      ...{ side: 'buy', base: 10n ** 12n, quote: 1_000_000n, usd },
      moves: [[POOL, WALLET, TOKEN, 10n ** 12n]],
    });
    const sell: Step = {
      ...{ side: 'sell', base: 10n ** 12n, quote: 1_000_000n, usd: USD },
      moves: [[WALLET, POOL, TOKEN, 10n ** 12n]],
    };
    const unit = USD / 1_000_000n;
    expect(profitOf(ledger(buy(USD - unit + 1n), sell).token)).toEqual([0n]);
    expect(profitOf(ledger(buy(USD + unit - 1n), sell).token)).toEqual([0n]);
    expect(profitOf(ledger(buy(USD - unit), sell).token)).toEqual([unit]);
    // One piece of a token that has no parts is not a small part of the trade.
    const one = (side: 'buy' | 'sell', usd: bigint): Step => ({ side, base: 1n, quote: usd / unit, usd });
    const moved: Step[] = [
      { ...one('buy', USD), moves: [[POOL, WALLET, TOKEN, 1n]] },
      { ...one('sell', 2n * USD), moves: [[WALLET, POOL, TOKEN, 1n]] },
    ];
    expect(profitOf(ledger(...moved).token)).toEqual([USD]);
  });
});
