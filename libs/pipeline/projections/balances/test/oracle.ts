import type { Hex } from '#libs/core/ids.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { Balance } from '../projection.js';

/**
 * What every wallet holds after these blocks, each wallet worked out by itself from its own transfers, block by block. In the
 * order of token and wallet.
 */
export function naiveBalances(blocks: readonly FactsBlock[]): Balance[] {
  const sides = blocks.flatMap(({ transfers, time, height }) =>
    transfers.flatMap(({ token, from, to, amount }) => [
      { token, wallet: from, change: -amount, time, height },
      { token, wallet: to, change: amount, time, height },
    ]),
  );
  return groupsOf(sides, ({ token, wallet }) => `${token} ${wallet}`)
    .map((own) => statement(own[0]!.token, own[0]!.wallet, own))
    .filter(({ wallet, amount }) => amount > 0n && !/^(00)+$/.test(wallet))
    .sort((a, b) => (`${a.token} ${a.wallet}` < `${b.token} ${b.wallet}` ? -1 : 1));
}

interface Side {
  change: bigint;
  time: number;
  height: number;
}

function statement(token: Hex, wallet: Hex, sides: readonly Side[]): Balance {
  let row: Balance = { token, wallet, amount: 0n, firstAt: 0, lastAt: 0 };
  for (const block of groupsOf(sides, ({ height }) => height)) {
    const change = block.reduce((sum, side) => sum + side.change, 0n);
    const after = row.amount + change < 0n ? 0n : row.amount + change;
    if (after === row.amount) continue;
    const { time } = block[0]!;
    row = { ...row, amount: after, firstAt: row.amount === 0n ? time : row.firstAt, lastAt: time };
  }
  return row;
}

/** Lists of what has the same key, in the order of first sight. */
function groupsOf<T>(all: readonly T[], key: (one: T) => string | number): T[][] {
  const groups = new Map<string | number, T[]>();
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return [...groups.values()];
}
