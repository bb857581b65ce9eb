import type { Hex } from '#libs/core/ids.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { TokenShares } from '../projection.js';

/** For each token, the newest balances of the wallets whose newest tags say what is counted. In no particular order. */
export function naiveShares(blocks: readonly FactsBlock[]): TokenShares[] {
  const tags = new Map<string, number>();
  const amounts = new Map<string, bigint>();
  const fresh = new Set<Hex>();
  for (const block of blocks) {
    for (const row of block.traderTags ?? []) tags.set(`${row.token} ${row.wallet}`, row.tags);
    for (const row of block.balances ?? []) amounts.set(`${row.token} ${row.wallet}`, row.amount);
    for (const row of block.firstTrades ?? []) if (row.fresh === 1) fresh.add(row.id);
  }
  const tagged = [...tags].map(([key, bits]) => ({
    token: key.split(' ')[0]!,
    creator: (bits & 1) !== 0,
    // A creator is shown as nothing else of these.
    sniper: (bits & 3) === 2,
    bundler: (bits & 5) === 4,
    insider: (bits & 9) === 8,
    amount: amounts.get(key) ?? 0n,
  }));
  return [...new Set([...fresh, ...tagged.map(({ token }) => token)])]
    .map((token) => {
      const own = tagged.filter((wallet) => wallet.token === token);
      const sum = (of: 'creator' | 'sniper' | 'bundler' | 'insider') =>
        own.filter((wallet) => wallet[of]).reduce((total, { amount }) => total + amount, 0n);
      return {
        ...{ token, fresh: fresh.has(token) ? 1 : 0 },
        tagged: own.filter(({ creator, sniper, bundler, insider }) => creator || sniper || bundler || insider).length,
        ...{ creator: sum('creator'), snipers: sum('sniper'), bundlers: sum('bundler'), insiders: sum('insider') },
      };
    })
    .filter(({ fresh: known, tagged: wallets }) => known + wallets > 0);
}
