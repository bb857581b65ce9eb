import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import { naiveFundings } from '../../funders/test/oracle.js';
import { type NaiveTrade, naiveLedgers, naiveProfit } from '../../positions/test/oracle.js';
import type { LinkedTrades } from '../projection.js';

interface Step {
  trade: TradeFact;
  hour: number;
  funders: Hex[];
  usd: bigint;
  /** Of what was sold, where it is no money. */
  profit: bigint | null;
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
      return [{ trade, hour: Math.floor(block.time / 3_600_000), funders: funders as Hex[], usd, profit }];
    });
  });
}

const sum = (steps: readonly Step[], side: string): bigint =>
  steps.reduce((total, { trade, usd }) => (trade.side === side ? total + usd : total), 0n);

/** How much of each of these trades of one group in one pool and hour is against the others' before it. */
function matches(steps: readonly Step[]): bigint[] {
  const done: bigint[] = [];
  for (const [index, { trade, usd }] of steps.entries()) {
    const before = steps.slice(0, index);
    const others = sum(
      before.filter((one) => one.trade.wallet !== trade.wallet),
      trade.side === 'sell' ? 'buy' : 'sell',
    );
    const used = before.reduce(
      (all, one, place) =>
        one.trade.wallet === trade.wallet && one.trade.side === trade.side ? all + done[place]! : all,
      0n,
    );
    const left = others > used ? others - used : 0n;
    done.push(left < usd ? left : usd);
  }
  return done;
}

function groupsOf(steps: readonly Step[]): { funder: Hex; pool: Hex; hour: number; steps: Step[] }[] {
  const groups = new Map<string, { funder: Hex; pool: Hex; hour: number; steps: Step[] }>();
  for (const step of steps) {
    for (const funder of step.funders) {
      const { hour } = step;
      const { pool } = step.trade;
      const key = `${funder} ${pool} ${hour}`;
      groups.set(key, { funder, pool, hour, steps: [...(groups.get(key)?.steps ?? []), step] });
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
  for (const { funder, pool, hour, steps } of groupsOf(stepsOf(blocks, recorded, reference))) {
    const matched = matches(steps);
    for (const wallet of ['', ...new Set(steps.map(({ trade }) => trade.wallet))]) {
      const own = steps.filter(({ trade }) => wallet === '' || trade.wallet === wallet);
      const against = (side: string): bigint =>
        steps.reduce(
          (all, { trade }, index) => (trade.wallet === wallet && trade.side === side ? all + matched[index]! : all),
          0n,
        );
      const key = `${funder} ${pool} ${wallet}`;
      if ((rows.get(key)?.hour ?? -1) > hour) continue;
      rows.set(key, {
        ...{ funder, pool, wallet, hour, boughtUsd: sum(own, 'buy'), soldUsd: sum(own, 'sell') },
        ...{ soldToOthersUsd: against('sell'), boughtFromOthersUsd: against('buy') },
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
      const { trade, usd, profit } = steps[index]!;
      if (profit === null || profit <= 0n || matched === 0n) continue;
      const part = (profit * matched) / usd;
      if (part > (linked.get(trade) ?? 0n)) linked.set(trade, part);
    }
  }
  return linked;
}
