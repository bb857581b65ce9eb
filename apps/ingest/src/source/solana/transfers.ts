import type { MintChanges, OwnerChange } from '#libs/chains/solana/moved-balances.js';
import type { Hex } from '#libs/core/ids.js';

/** Stands for whoever minted, burned, wrapped or unwrapped: 32 zero bytes. */
export const NOBODY: Hex = '0'.repeat(64);

export interface Moved {
  /** Base58 texts; null for nobody. */
  readonly from: string | null;
  readonly to: string | null;
  readonly amount: bigint;
}

/**
 * One mint's changes as movements: owners that lost paired with owners that gained, both in account order, each as far as it
 * goes; what is left over goes to or comes from nobody. Invariant: what reaches an owner less what leaves it is its change.
 */
export function movements({ owners }: MintChanges): Moved[] {
  const moved: Moved[] = [];
  const lost = rest(owners, (change) => change < 0n);
  const gained = rest(owners, (change) => change > 0n);
  let from = lost.shift();
  let to = gained.shift();
  while (from !== undefined || to !== undefined) {
    const amount = from && to ? least(from.left, to.left) : (from ?? to!).left;
    moved.push({ from: from?.owner ?? null, to: to?.owner ?? null, amount });
    if (from !== undefined) {
      from.left -= amount;
      if (from.left === 0n) from = lost.shift();
    }
    if (to !== undefined) {
      to.left -= amount;
      if (to.left === 0n) to = gained.shift();
    }
  }
  return moved;
}

interface Rest {
  readonly owner: string;
  left: bigint;
}

const rest = (owners: readonly OwnerChange[], counts: (change: bigint) => boolean): Rest[] =>
  owners
    .filter(({ change }) => counts(change))
    .map(({ owner, change }) => ({ owner, left: change < 0n ? -change : change }));

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
