import type { MintChanges, OwnerChange } from '#libs/chain/chains/solana/moved-balances.js';
import type { Hex } from '#libs/core/ids.js';

/** The other side of a mint, burn, wrap or unwrap: 32 zero bytes. */
export const NOBODY: Hex = '0'.repeat(64);

/** Base58 texts; null where there is no owner. */
export type TakeMovement = (from: string | null, to: string | null, amount: bigint) => void;

/**
 * One mint's changes as movements: owners that lost paired with owners that gained, both in account order, each as far as it
 * goes; what is left over has no owner on the other side. Invariant: what reaches an owner less what leaves it is its change.
 */
export function movements({ owners }: MintChanges, take: TakeMovement): void {
  let loser = nextOf(owners, -1, isLoss);
  let winner = nextOf(owners, -1, isGain);
  let lost = loser < 0 ? 0n : -owners[loser]!.change;
  let gained = winner < 0 ? 0n : owners[winner]!.change;
  while (loser >= 0 || winner >= 0) {
    const amount = loser < 0 || (winner >= 0 && gained < lost) ? gained : lost;
    take(loser < 0 ? null : owners[loser]!.owner, winner < 0 ? null : owners[winner]!.owner, amount);
    if (loser >= 0) {
      lost -= amount;
      if (lost === 0n) {
        loser = nextOf(owners, loser, isLoss);
        lost = loser < 0 ? 0n : -owners[loser]!.change;
      }
    }
    if (winner >= 0) {
      gained -= amount;
      if (gained === 0n) {
        winner = nextOf(owners, winner, isGain);
        gained = winner < 0 ? 0n : owners[winner]!.change;
      }
    }
  }
}

const isLoss = (change: bigint): boolean => change < 0n;
const isGain = (change: bigint): boolean => change > 0n;

/** Place of the next owner after one whose change counts; -1 when there is none. */
function nextOf(owners: readonly OwnerChange[], after: number, counts: (change: bigint) => boolean): number {
  for (let place = after + 1; place < owners.length; place++) if (counts(owners[place]!.change)) return place;
  return -1;
}
