import type { Hex } from '#libs/core/ids.js';
import {
  bufferOf,
  derive,
  Fields,
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

const POOL_BYTES = 208;

/** Null for data that is no pool. */
export function readAmmPool(id: Hex, data: Uint8Array): PoolKeys | null {
  const f = new Fields(data);
  if (f.length !== POOL_BYTES || f.tag() !== 'TPAMMPL1') return null;
  const [mintA, mintB, vaultA, vaultB, shareMint, creator] = [8, 40, 72, 104, 136, 168].map(f.id) as [
    Hex,
    Hex,
    Hex,
    Hex,
    Hex,
    Hex,
  ];
  return { id, mintA, mintB, vaultA, vaultB, shareMint, creator, feeBps: f.u16(200) };
}

export type PoolEvent =
  | { kind: 'pool'; pool: Hex; mintA: Hex; mintB: Hex; creator: Hex; feeBps: number }
  | {
      kind: 'swap';
      pool: Hex;
      user: Hex;
      aToB: boolean;
      input: bigint;
      output: bigint;
      reserveIn: bigint;
      reserveOut: bigint;
    }
  | {
      kind: 'add' | 'remove';
      pool: Hex;
      user: Hex;
      a: bigint;
      b: bigint;
      shares: bigint;
      reserveA: bigint;
      reserveB: bigint;
      supply: bigint;
    };

/** An event out of the bytes of a `Program data:` line of the program; null for anything else. */
export function readPoolEvent(data: Uint8Array): PoolEvent | null {
  const f = new Fields(data);
  const tag = f.tag();
  if (tag === 'TPPOOLN1' && f.length === 144) {
    const [pool, mintA, mintB, creator] = [8, 40, 72, 104].map(f.id) as [Hex, Hex, Hex, Hex];
    return { kind: 'pool', pool, mintA, mintB, creator, feeBps: Number(f.u64(136)) };
  }
  if (tag === 'TPSWAPE1' && f.length === 112) {
    const [input, output, reserveIn, reserveOut] = [80, 88, 96, 104].map(f.u64) as [bigint, bigint, bigint, bigint];
    return {
      kind: 'swap',
      pool: f.id(8),
      user: f.id(40),
      aToB: f.u64(72) === 1n,
      input,
      output,
      reserveIn,
      reserveOut,
    };
  }
  if ((tag === 'TPLIQAD1' || tag === 'TPLIQRM1') && f.length === 120) {
    const [a, b, shares, reserveA, reserveB, supply] = [72, 80, 88, 96, 104, 112].map(f.u64) as [
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    const kind = tag === 'TPLIQAD1' ? 'add' : 'remove';
    return { kind, pool: f.id(8), user: f.id(40), a, b, shares, reserveA, reserveB, supply };
  }
  return null;
}
