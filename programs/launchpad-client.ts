import type { Hex } from '#libs/core/ids.js';
import { poolKeys, type SwapAccounts } from './amm-client.js';
import {
  bufferOf,
  derive,
  Fields,
  type Instruction,
  reads,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  UPGRADEABLE_LOADER,
  u8,
  u16,
  u64,
  writes,
} from './instruction.js';

/** The bonding curves of src/launchpad.c: addresses, instructions, state and events. Trades are `swapExactIn` and `swapExactOut`. */
export interface CurveKeys {
  id: Hex;
  mint: Hex;
  quoteMint: Hex;
  baseVault: Hex;
  quoteVault: Hex;
}

type CurveStatus = 'trading' | 'complete' | 'graduated';
const STATUS: readonly CurveStatus[] = ['trading', 'complete', 'graduated'];

export interface Curve extends CurveKeys {
  virtualQuote: bigint;
  virtualBase: bigint;
  realQuote: bigint;
  remaining: bigint;
  feeBps: bigint;
  creator: Hex;
  /** The pool it became. */
  pool: Hex | null;
  forSale: bigint;
  /** What goes into the pool at graduation. */
  forPool: bigint;
  /** Not yet claimed by the creator. */
  fees: bigint;
  poolFeeBps: number;
  status: CurveStatus;
  name: string;
  symbol: string;
  uri: string;
}

export function curveKeys(launchpad: Hex, mint: Hex, quoteMint: Hex): CurveKeys {
  const { id } = derive(launchpad, Buffer.from('curve'), bufferOf(mint));
  const vault = (of: Hex): Hex => derive(launchpad, Buffer.from('vault'), bufferOf(id), bufferOf(of)).id;
  return { id, mint, quoteMint, baseVault: vault(mint), quoteVault: vault(quoteMint) };
}

const configId = (launchpad: Hex): Hex => derive(launchpad, Buffer.from('config')).id;

/** Names the AMM that curves graduate into; only the upgrade authority can, and once. */
export const initLaunchpad = (launchpad: Hex, authority: Hex, amm: Hex): Instruction => ({
  program: launchpad,
  accounts: [
    signs(authority, true),
    writes(configId(launchpad)),
    reads(derive(UPGRADEABLE_LOADER, bufferOf(launchpad)).id),
    reads(SYSTEM_PROGRAM),
  ],
  data: Buffer.concat([u8(3), bufferOf(amm)]),
});

export interface Launch {
  creator: Hex;
  /** At least 1,000,000 base units of quote; the curve raises about 2.83 times as much. */
  virtualQuote: bigint;
  feeBps: number;
  poolFeeBps: number;
  name: string;
  symbol: string;
  uri: string;
}

/** Makes a token and its curve; the creator pays, and the mint's fresh key signs. */
export function createCurve(launchpad: Hex, curve: CurveKeys, launch: Launch): Instruction {
  const texts = [launch.name, launch.symbol, launch.uri].map((text) => Buffer.from(text));
  return {
    program: launchpad,
    accounts: [
      signs(launch.creator, true),
      signs(curve.mint, true),
      writes(curve.id),
      reads(curve.quoteMint),
      writes(curve.baseVault),
      writes(curve.quoteVault),
      reads(TOKEN_PROGRAM_ID),
      reads(SYSTEM_PROGRAM),
    ],
    data: Buffer.concat([
      u8(0),
      u64(launch.virtualQuote),
      u16(launch.feeBps),
      u16(launch.poolFeeBps),
      ...texts.map((text) => u8(text.length)),
      ...texts,
    ]),
  };
}

/** Accounts of a swap that gives the curve one of its two mints. */
export function curveAccounts(curve: CurveKeys, mintIn: Hex): SwapAccounts {
  const buys = mintIn === curve.quoteMint;
  if (!buys && mintIn !== curve.mint) throw new RangeError(`curve ${curve.id} has no mint ${mintIn}`);
  const [vaultIn, vaultOut] = buys ? [curve.quoteVault, curve.baseVault] : [curve.baseVault, curve.quoteVault];
  return { state: curve.id, stateChanges: true, vaultIn, vaultOut };
}

export interface Graduation {
  launchpad: Hex;
  amm: Hex;
  payer: Hex;
  curve: CurveKeys;
  poolFeeBps: number;
}

/** Turns a complete curve into a pool; anybody may pay for it. */
export function graduate({ launchpad, amm, payer, curve, poolFeeBps }: Graduation): Instruction {
  const pool = poolKeys(amm, curve.mint, curve.quoteMint, curve.id, poolFeeBps);
  const [poolBase, poolQuote] = pool.mintA === curve.mint ? [pool.vaultA, pool.vaultB] : [pool.vaultB, pool.vaultA];
  return {
    program: launchpad,
    accounts: [
      signs(payer, true),
      writes(curve.id),
      writes(curve.baseVault),
      writes(curve.quoteVault),
      reads(curve.mint),
      reads(curve.quoteMint),
      reads(amm),
      writes(pool.id),
      writes(poolBase),
      writes(poolQuote),
      writes(pool.shareMint),
      writes(derive(launchpad, Buffer.from('shares'), bufferOf(curve.id)).id),
      reads(TOKEN_PROGRAM_ID),
      reads(SYSTEM_PROGRAM),
      reads(configId(launchpad)),
    ],
    data: u8(2),
  };
}

/** Pays the collected fees to the creator. */
export const claimFees = (launchpad: Hex, curve: CurveKeys, creator: Hex, to: Hex): Instruction => ({
  program: launchpad,
  accounts: [writes(curve.id), signs(creator), writes(curve.quoteVault), writes(to), reads(TOKEN_PROGRAM_ID)],
  data: u8(5),
});

const CURVE_BYTES = 456;
const ZERO_ADDRESS: Hex = '0'.repeat(64);

/** Null for data that is no curve. */
export function readCurve(id: Hex, data: Uint8Array): Curve | null {
  const f = new Fields(data);
  const status = f.length === CURVE_BYTES && f.tag() === 'TPCURVE1' ? STATUS[f.u8(261)] : undefined;
  if (!status) return null;
  const pool = f.id(168);
  const [name, symbol, uri] = texts(f, 264);
  return {
    id,
    mint: f.id(8),
    quoteMint: f.id(40),
    baseVault: f.id(72),
    quoteVault: f.id(104),
    creator: f.id(136),
    pool: pool === ZERO_ADDRESS ? null : pool,
    virtualQuote: f.u64(200),
    virtualBase: f.u64(208),
    realQuote: f.u64(216),
    remaining: f.u64(224),
    forSale: f.u64(232),
    forPool: f.u64(240),
    fees: f.u64(248),
    feeBps: BigInt(f.u16(256)),
    poolFeeBps: f.u16(258),
    status,
    name,
    symbol,
    uri,
  };
}

/** Three lengths of a byte each, then the texts. */
function texts(f: Fields, at: number): [string, string, string] {
  const [name, symbol, uri] = [f.u8(at), f.u8(at + 1), f.u8(at + 2)];
  const start = at + 3;
  return [f.text(start, name), f.text(start + name, symbol), f.text(start + name + symbol, uri)];
}

export type LaunchEvent =
  | {
      kind: 'created';
      curve: Hex;
      mint: Hex;
      quoteMint: Hex;
      creator: Hex;
      virtualQuote: bigint;
      virtualBase: bigint;
      forSale: bigint;
      supply: bigint;
      feeBps: number;
      poolFeeBps: number;
      name: string;
      symbol: string;
      uri: string;
    }
  | {
      kind: 'trade';
      curve: Hex;
      user: Hex;
      side: 'buy' | 'sell';
      input: bigint;
      output: bigint;
      /** In the quote token, inside the input of a buy and not part of the output of a sale. */
      fee: bigint;
      virtualQuote: bigint;
      virtualBase: bigint;
      realQuote: bigint;
      remaining: bigint;
    }
  | { kind: 'graduated'; curve: Hex; mint: Hex; pool: Hex; base: bigint; quote: bigint; shares: bigint };

/** An event out of the bytes of a `Program data:` line of the program; null for anything else. */
export function readLaunchEvent(data: Uint8Array): LaunchEvent | null {
  const f = new Fields(data);
  const tag = f.tag();
  if (tag === 'TPLNCRE1' && f.length >= 175 && f.length === 175 + f.u8(172) + f.u8(173) + f.u8(174)) {
    const [name, symbol, uri] = texts(f, 172);
    return {
      kind: 'created',
      curve: f.id(8),
      mint: f.id(40),
      quoteMint: f.id(72),
      creator: f.id(104),
      virtualQuote: f.u64(136),
      virtualBase: f.u64(144),
      forSale: f.u64(152),
      supply: f.u64(160),
      feeBps: f.u16(168),
      poolFeeBps: f.u16(170),
      name,
      symbol,
      uri,
    };
  }
  if (tag === 'TPLNTRD1' && f.length === 136) {
    return {
      kind: 'trade',
      curve: f.id(8),
      user: f.id(40),
      side: f.u64(72) === 1n ? 'buy' : 'sell',
      input: f.u64(80),
      output: f.u64(88),
      fee: f.u64(96),
      virtualQuote: f.u64(104),
      virtualBase: f.u64(112),
      realQuote: f.u64(120),
      remaining: f.u64(128),
    };
  }
  if (tag === 'TPLNGRA1' && f.length === 128) {
    const [base, quote, shares] = [f.u64(104), f.u64(112), f.u64(120)];
    return { kind: 'graduated', curve: f.id(8), mint: f.id(40), pool: f.id(72), base, quote, shares };
  }
  return null;
}
