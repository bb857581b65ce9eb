import type { Ratio } from '#libs/chain/amm/ratio.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { StatedPool } from './venue.js';

/** What legs state about their pool, from the instruction and its event. Invariant: what is not there is left out. */
export function namedVaults(tx: SolanaTransaction, index: number, a: number, b: number): Pick<StatedPool, 'vaults'> {
  const instruction = tx.instructions[index]!;
  const vaults = [tx.accountKey(instruction, a), tx.accountKey(instruction, b)] as const;
  return vaults[0] === '' || vaults[1] === '' ? {} : { vaults };
}

const ONE_Q128 = 1n << 128n;

/** Spot of a leg from the Q64.64 square root of the price of token A in token B; undefined where none is stated. */
export function sqrtSpot(sqrtPrice: bigint | undefined, aToB: boolean): Ratio | undefined {
  if (sqrtPrice === undefined || sqrtPrice <= 0n) return undefined;
  const square = sqrtPrice * sqrtPrice;
  return aToB ? { numerator: square, denominator: ONE_Q128 } : { numerator: ONE_Q128, denominator: square };
}
