import type { Ratio } from '#libs/chain/amm/ratio.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { FieldValue } from './event-layout.js';
import type { StatedPool } from './venue.js';

/** What legs state about their pool, from the instruction and its event. Invariant: what is not there is left out. */
export function namedVaults(tx: SolanaTransaction, index: number, a: number, b: number): Pick<StatedPool, 'vaults'> {
  const instruction = tx.instructions[index]!;
  const vaults = [tx.accountKey(instruction, a), tx.accountKey(instruction, b)] as const;
  return vaults[0] === '' || vaults[1] === '' ? {} : { vaults };
}

const ONE_Q128 = 1n << 128n;

/** Spot of a leg from the Q64.64 square root of the price of token A in token B. */
export function sqrtSpot(sqrtPrice: FieldValue | undefined, aToB: boolean): Pick<StatedPool, 'spot'> {
  if (typeof sqrtPrice !== 'bigint' || sqrtPrice <= 0n) return {};
  const square = sqrtPrice * sqrtPrice;
  return {
    spot: aToB ? { numerator: square, denominator: ONE_Q128 } : { numerator: ONE_Q128, denominator: square },
  };
}

/** A bonding curve after a leg: `spot` in quote for one token that it sells, what is left of these, and the quote raised. */
export const curveAfter = (buys: boolean, spot: Ratio | null, left: bigint, raised: bigint): StatedPool => ({
  reserves: buys ? { input: raised, output: left } : { input: left, output: raised },
  ...(spot && { spot: buys ? { numerator: spot.denominator, denominator: spot.numerator } : spot }),
});
