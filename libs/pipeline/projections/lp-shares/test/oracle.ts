import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { LpShares } from '../projection.js';

const ZERO = '00'.repeat(20);
const GRAVES = [ZERO, `${'00'.repeat(18)}dead`, 'dead000000000000000042069420694206942069'];

/**
 * Each pool as the contract that it is: a balance of every address, the zero address as well, a mint that makes shares and a burn of
 * the pool's own that ends them. In no particular order.
 */
export function naiveLpShares(
  blocks: readonly FactsBlock[],
  _: readonly BlockGroup[],
  { family }: Pick<ReferenceSet, 'family'>,
): LpShares[] {
  if (family !== 'evm') return [];
  const pools = blocks.flatMap((block) => block.pools);
  const pairs = pools.filter(({ kind, created }) => created && ['constant-product', 'stable'].includes(kind));
  return pairs.flatMap(({ pool }): LpShares[] => {
    const balances = new Map<Hex, bigint>();
    const add = (wallet: Hex, amount: bigint) => balances.set(wallet, (balances.get(wallet) ?? 0n) + amount);
    const burntNow = () => GRAVES.reduce((sum, grave) => sum + (balances.get(grave) ?? 0n), 0n);
    let supply = 0n;
    const created = blocks.findIndex((block) => block.pools.some((record) => record.pool === pool));
    for (const block of blocks.slice(created)) {
      for (const { token, from, to, amount } of block.transfers) {
        if (token !== pool) continue;
        if (from === pool && to === ZERO) {
          add(pool, -amount);
          supply -= amount;
          continue;
        }
        if (from === ZERO) supply += amount;
        else add(from, -amount);
        add(to, amount);
      }
      const burnt = burntNow();
      if (burnt < 0n || burnt > supply || supply >= 2n ** 256n) return [];
    }
    return [{ pool, known: 1, supply, burnt: burntNow() }];
  });
}
