import { least } from '#libs/core/bigint-order.js';
import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import { naiveFundings } from '../../funders/test/oracle.js';
import { type NaiveTrade, naiveLedgers, naiveProfit } from '../../positions/test/oracle.js';
import type { LinkedTrades } from '../projection.js';

interface Step {
  trade: TradeFact;
  funders: Hex[];
  usd: bigint;
  /** Of what was sold, where it is no money; 0 of a loss. */
  profit: bigint;
}

/** All trades of wallets that have a group, in order. */
function stepsOf(blocks: readonly FactsBlock[], recorded: readonly BlockGroup[], reference: ReferenceSet): Step[] {
  const fundings = naiveFundings(blocks, recorded, reference);
  const ledgers = new Map<TradeFact, NaiveTrade[]>();
  for (const one of naiveLedgers(blocks).flatMap(({ trades }) => trades))
    ledgers.set(one.fact, [...(ledgers.get(one.fact) ?? []), one]);
  const money = [reference.coin.token, ...reference.stables];
  return blocks.flatMap((block, index) => {
    const until = fundings.filter((funding) => funding.block <= index && funding.funder !== '');
    return block.trades.flatMap((trade): Step[] => {
      const own = until.find(({ wallet }) => wallet === trade.wallet)?.funder;
      const funders = [own, trade.wallet].filter((of) => of !== undefined && until.some(({ funder }) => funder === of));
      if (funders.length === 0) return [];
      const sides = ledgers.get(trade)!;
      const sold = sides.find(({ bought }) => !bought)!;
      const profit = !sold.base && money.includes(sold.token) ? null : naiveProfit(sold);
      const usd = sides.find(({ base }) => base)!.usd ?? 0n;
      return [{ trade, funders: funders as Hex[], usd, profit: profit !== null && profit > 0n ? profit : 0n }];
    });
  });
}

const sum = (steps: readonly Step[], side: string): bigint =>
  steps.reduce((total, { trade, usd }) => (trade.side === side ? total + usd : total), 0n);

/** At each of these trades of one group in one pool: how much more of the wallet's profits the others' trades before it paid for. */
function matches(steps: readonly Step[]): bigint[] {
  const done: bigint[] = [];
  for (const [index, { trade }] of steps.entries()) {
    const before = steps.slice(0, index);
    const made = steps
      .slice(0, index + 1)
      .reduce((all, one) => (isAlike(one.trade, trade) ? all + one.profit : all), 0n);
    const others = sum(
      before.filter((one) => one.trade.wallet !== trade.wallet),
      trade.side === 'sell' ? 'buy' : 'sell',
    );
    const known = before.reduce((all, one, place) => (isAlike(one.trade, trade) ? all + done[place]! : all), 0n);
    done.push(least(others, made) - known);
  }
  return done;
}

const isAlike = (a: TradeFact, b: TradeFact): boolean => a.wallet === b.wallet && a.side === b.side;

function groupsOf(steps: readonly Step[]): { funder: Hex; pool: Hex; steps: Step[] }[] {
  const groups = new Map<string, { funder: Hex; pool: Hex; steps: Step[] }>();
  for (const step of steps) {
    for (const funder of step.funders) {
      const { pool } = step.trade;
      const key = `${funder} ${pool}`;
      groups.set(key, { funder, pool, steps: [...(groups.get(key)?.steps ?? []), step] });
    }
  }
  return [...groups.values()];
}

export function naiveLinkedTrades(
  blocks: readonly FactsBlock[],
  recorded: readonly BlockGroup[],
  reference: ReferenceSet,
): LinkedTrades[] {
  const rows = new Map<string, LinkedTrades>();
  for (const { funder, pool, steps } of groupsOf(stepsOf(blocks, recorded, reference))) {
    const matched = matches(steps);
    for (const wallet of ['', ...new Set(steps.map(({ trade }) => trade.wallet))]) {
      const own = steps.filter(({ trade }) => wallet === '' || trade.wallet === wallet);
      const linked = (side: string): bigint =>
        steps.reduce(
          (all, one, index) => (own.includes(one) && one.trade.side === side ? all + matched[index]! : all),
          0n,
        );
      const made = (side: string): bigint =>
        own.reduce((all, { trade, profit }) => (trade.side === side ? all + profit : all), 0n);
      const [boughtUsd, soldUsd] = [sum(own, 'buy'), sum(own, 'sell')];
      // Trades without a value, as all of a pool may be, leave no row.
      if (boughtUsd === 0n && soldUsd === 0n) continue;
      rows.set(`${funder} ${pool} ${wallet}`, {
        ...{ funder, pool, wallet, boughtUsd, soldUsd },
        ...{ madeSellingUsd: made('sell'), madePayingUsd: made('buy') },
        ...{ linkedSellingUsd: linked('sell'), linkedPayingUsd: linked('buy') },
      });
    }
  }
  return [...rows.values()];
}

/** What of the profit of each trade was made against wallets of the same funder. */
export function naiveLinkedProfits(
  blocks: readonly FactsBlock[],
  recorded: readonly BlockGroup[],
  reference: ReferenceSet,
): Map<TradeFact, bigint> {
  const linked = new Map<TradeFact, bigint>();
  for (const { steps } of groupsOf(stepsOf(blocks, recorded, reference))) {
    for (const [index, matched] of matches(steps).entries()) {
      const { trade } = steps[index]!;
      if (matched > (linked.get(trade) ?? 0n)) linked.set(trade, matched);
    }
  }
  return linked;
}
