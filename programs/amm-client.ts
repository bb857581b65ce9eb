import type { Hex } from '#libs/core/ids.js';
import {
  bufferOf,
  derive,
  type Instruction,
  reads,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  u8,
  u16,
  u64,
  writes,
} from './instruction.js';

/** The pools of src/amm.c: addresses, instructions, state and events. */
export interface PoolKeys {
  id: Hex;
  mintA: Hex;
  mintB: Hex;
  vaultA: Hex;
  vaultB: Hex;
  shareMint: Hex;
  creator: Hex;
  feeBps: number;
}

/** Keys of the pool of two mints, in either order. */
export function poolKeys(amm: Hex, mintX: Hex, mintY: Hex, creator: Hex, feeBps: number): PoolKeys {
  const [mintA, mintB] = mintX < mintY ? [mintX, mintY] : [mintY, mintX];
  const seeds = [Buffer.from('pool'), bufferOf(mintA), bufferOf(mintB), bufferOf(creator), u16(feeBps)];
  const { id } = derive(amm, ...seeds);
  const vault = (mint: Hex): Hex => derive(amm, Buffer.from('vault'), bufferOf(id), bufferOf(mint)).id;
  const shareMint = derive(amm, Buffer.from('shares'), bufferOf(id)).id;
  return { id, mintA, mintB, vaultA: vault(mintA), vaultB: vault(mintB), shareMint, creator, feeBps };
}

export function initPool(amm: Hex, payer: Hex, pool: PoolKeys): Instruction {
  return {
    program: amm,
    accounts: [
      signs(payer, true),
      signs(pool.creator),
      writes(pool.id),
      reads(pool.mintA),
      reads(pool.mintB),
      writes(pool.vaultA),
      writes(pool.vaultB),
      writes(pool.shareMint),
      reads(TOKEN_PROGRAM_ID),
      reads(SYSTEM_PROGRAM),
    ],
    data: Buffer.concat([u8(0), u16(pool.feeBps)]),
  };
}

/** Accounts of a swap at any venue: its state and the vaults that take the input and pay the output. */
export interface SwapAccounts {
  state: Hex;
  /** True for a venue whose state a swap changes. */
  stateChanges: boolean;
  vaultIn: Hex;
  vaultOut: Hex;
}

export interface Trader {
  user: Hex;
  userIn: Hex;
  userOut: Hex;
}

export function poolAccounts(pool: PoolKeys, mintIn: Hex): SwapAccounts {
  if (mintIn !== pool.mintA && mintIn !== pool.mintB) throw new RangeError(`pool ${pool.id} has no mint ${mintIn}`);
  const [vaultIn, vaultOut] = mintIn === pool.mintA ? [pool.vaultA, pool.vaultB] : [pool.vaultB, pool.vaultA];
  return { state: pool.id, stateChanges: false, vaultIn, vaultOut };
}

function swap(
  tag: number,
  venue: Hex,
  places: SwapAccounts,
  trader: Trader,
  amount: bigint,
  limit: bigint,
): Instruction {
  return {
    program: venue,
    accounts: [
      places.stateChanges ? writes(places.state) : reads(places.state),
      signs(trader.user),
      writes(trader.userIn),
      writes(trader.userOut),
      writes(places.vaultIn),
      writes(places.vaultOut),
      reads(TOKEN_PROGRAM_ID),
    ],
    data: Buffer.concat([u8(tag), u64(amount), u64(limit)]),
  };
}

/** A swap at a pool or at a curve. */
export const swapExactIn = (venue: Hex, places: SwapAccounts, trader: Trader, amount: bigint, minOut: bigint) =>
  swap(1, venue, places, trader, amount, minOut);
export const swapExactOut = (venue: Hex, places: SwapAccounts, trader: Trader, out: bigint, maxIn: bigint) =>
  swap(4, venue, places, trader, out, maxIn);

export interface LiquidityAccounts {
  user: Hex;
  userA: Hex;
  userB: Hex;
  userShares: Hex;
}

const liquidity = (tag: number, amm: Hex, pool: PoolKeys, at: LiquidityAccounts, amounts: bigint[]): Instruction => ({
  program: amm,
  accounts: [
    reads(pool.id),
    signs(at.user),
    writes(at.userA),
    writes(at.userB),
    writes(pool.vaultA),
    writes(pool.vaultB),
    writes(pool.shareMint),
    writes(at.userShares),
    reads(TOKEN_PROGRAM_ID),
  ],
  data: Buffer.concat([u8(tag), ...amounts.map(u64)]),
});

export const addLiquidity = (
  amm: Hex,
  pool: PoolKeys,
  at: LiquidityAccounts,
  mostA: bigint,
  mostB: bigint,
  leastShares: bigint,
) => liquidity(2, amm, pool, at, [mostA, mostB, leastShares]);
export const removeLiquidity = (
  amm: Hex,
  pool: PoolKeys,
  at: LiquidityAccounts,
  shares: bigint,
  leastA: bigint,
  leastB: bigint,
) => liquidity(3, amm, pool, at, [shares, leastA, leastB]);
