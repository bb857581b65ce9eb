import type { Hex } from '#libs/core/ids.js';
import { MAX_UNITS, TOKEN_PROGRAM_ID } from '#programs/client.js';
import type { Costs } from '../model/built-swap.js';
import type { PriorityWish } from '../model/swap-order.js';

/** The limits and fees of a transaction follow from what its simulation used. */
export const MAX_LOADED = 64 * 1024 * 1024;

const SIGNATURE_LAMPORTS = 5_000n;
/** Room for pools and accounts that are in another state when the transaction runs. */
const UNIT_MARGIN = 1.15;
const SPARE_UNITS = 2_000;
/** Loaded data is charged by pages. */
const PAGE = 32 * 1024;
const MICRO = 1_000_000n;

export const unitLimit = (units: number): number => Math.min(MAX_UNITS, Math.ceil(units * UNIT_MARGIN) + SPARE_UNITS);

/** One page more than was loaded. */
export const loadedLimit = (bytes: number): number => Math.min(MAX_LOADED, (Math.ceil(bytes / PAGE) + 1) * PAGE);

/** Lamports of the whole transaction. */
export function priorityFee(wish: PriorityWish, prices: readonly bigint[], units: number): bigint {
  if (wish.kind === 'lamports') return wish.lamports;
  if (wish.kind === 'price') return lamportsAt(wish.price, units);
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const place = Math.min(sorted.length - 1, Math.floor((sorted.length * wish.percentile) / 100));
  const lamports = sorted.length === 0 ? 0n : lamportsAt(sorted[place]!, units);
  return lamports < wish.maxLamports ? lamports : wish.maxLamports;
}

const lamportsAt = (price: bigint, units: number): bigint => (price * BigInt(units) + MICRO - 1n) / MICRO;

const TOKEN_BYTES = 165;
/** An account of the later token program also states its kind, and that its owner cannot change. */
const EXTENDED_BYTES = 170;
/** What an account is charged for beyond its data. */
const OVERHEAD_BYTES = 128;

/** Length of a wallet's own account for a mint without a fee on transfers. */
export const associatedBytes = (tokenProgram: Hex): number =>
  tokenProgram === TOKEN_PROGRAM_ID ? TOKEN_BYTES : EXTENDED_BYTES;

/** An account that is made or lengthened: how long it will be, and the lamports that it holds already. */
export interface Deposit {
  readonly bytes: number;
  readonly held: bigint;
}

/** The deposit of an account grows with its length and what it is charged beyond. */
export const depositOf = (bytes: number, tokenRent: bigint): bigint =>
  (tokenRent * BigInt(bytes + OVERHEAD_BYTES)) / BigInt(TOKEN_BYTES + OVERHEAD_BYTES);

export function costsOf(made: readonly Deposit[], priorityFeeLamports: bigint, tokenRent: bigint): Costs {
  const rentLamports = made.reduce((sum, { bytes, held }) => {
    const due = depositOf(bytes, tokenRent);
    return due > held ? sum + due - held : sum;
  }, 0n);
  return {
    ...{ networkFeeLamports: SIGNATURE_LAMPORTS, priorityFeeLamports, rentLamports },
    totalLamports: SIGNATURE_LAMPORTS + priorityFeeLamports + rentLamports,
  };
}
