import type { Hex } from '#libs/core/ids.js';
import type { SwapAccounts } from './amm-client.js';
import {
  type AccountUse,
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
  WRAPPED_MINT,
  writes,
} from './instruction.js';

/** The swap program of src/swap.c and src/config.h: config, routes, administration, events. */
/** In the order of the program's numbers. The first two speak the instructions of our own venues, the others their own. */
export const VENUE_KINDS = [
  'pool',
  'curve',
  'raydium-cpmm',
  'meteora-damm-v2',
  'raydium-v4',
  'meteora-dbc',
  'orca-whirlpool',
  'raydium-clmm',
  'meteora-dlmm',
  'pumpswap',
  'pump-fun',
  'raydium-launchlab',
] as const;
export type VenueKind = (typeof VENUE_KINDS)[number];

export interface VenueRow {
  program: Hex;
  kind: VenueKind;
  live: boolean;
}

export interface SwapConfig {
  admin: Hex;
  /** Proposed and not yet accepted. */
  pendingAdmin: Hex | null;
  /** Owner that fee accounts must have; null: any. */
  feeOwner: Hex | null;
  maxFeeBps: number;
  paused: boolean;
  rows: VenueRow[];
}

export const configId = (program: Hex): Hex => derive(program, Buffer.from('config')).id;
export const programDataId = (program: Hex): Hex => derive(UPGRADEABLE_LOADER, bufferOf(program)).id;
/** The account that holds wrapped coins of a user for the time of one route. */
export const temporaryId = (program: Hex, user: Hex): Hex => derive(program, Buffer.from('wrap'), bufferOf(user)).id;

/** The account that unwraps coins for a venue that moves those of the user itself, for the time of its call. */
export const coinsId = (program: Hex, user: Hex): Hex => derive(program, Buffer.from('coin'), bufferOf(user)).id;

const CONFIG_BYTES = 1392;
const MAX_ROWS = 32;
const ZERO_ADDRESS: Hex = '0'.repeat(64);
const orNull = (id: Hex): Hex | null => (id === ZERO_ADDRESS ? null : id);

/** Null for data that is no config, or one this client does not understand. */
export function readSwapConfig(data: Uint8Array): SwapConfig | null {
  const f = new Fields(data);
  if (f.length !== CONFIG_BYTES || f.tag() !== 'TPSWAPC1' || f.u8(107) > MAX_ROWS) return null;
  const rows: VenueRow[] = [];
  for (let at = 112; at < 112 + 40 * f.u8(107); at += 40) {
    const kind = VENUE_KINDS[f.u8(at + 32)];
    if (!kind) return null;
    rows.push({ program: f.id(at), kind, live: f.u8(at + 33) === 1 });
  }
  return {
    admin: f.id(8),
    pendingAdmin: orNull(f.id(40)),
    feeOwner: orNull(f.id(72)),
    maxFeeBps: f.u16(104),
    paused: f.u8(106) === 1,
    rows,
  };
}

const feeBytes = (feeOwner: Hex | null, maxFeeBps: number): Buffer =>
  Buffer.concat([bufferOf(feeOwner ?? ZERO_ADDRESS), u16(maxFeeBps)]);

/** Makes the config; only the upgrade authority can, and it becomes the admin. */
export const initConfig = (program: Hex, authority: Hex, feeOwner: Hex | null, maxFeeBps: number): Instruction => ({
  program,
  accounts: [signs(authority, true), writes(configId(program)), reads(programDataId(program)), reads(SYSTEM_PROGRAM)],
  data: Buffer.concat([u8(0), feeBytes(feeOwner, maxFeeBps)]),
});

const change = (program: Hex, admin: Hex, ...parts: Buffer[]): Instruction => ({
  program,
  accounts: [writes(configId(program)), signs(admin)],
  data: Buffer.concat(parts),
});
const rowBytes = (row: VenueRow): Buffer =>
  Buffer.concat([u8(VENUE_KINDS.indexOf(row.kind)), u8(row.live ? 1 : 0), bufferOf(row.program)]);

export const setPaused = (program: Hex, admin: Hex, paused: boolean) =>
  change(program, admin, u8(3), u8(paused ? 1 : 0));
export const addRow = (program: Hex, admin: Hex, row: VenueRow) => change(program, admin, u8(4), rowBytes(row));
export const removeRow = (program: Hex, admin: Hex, venue: Hex) => change(program, admin, u8(5), bufferOf(venue));
export const setRow = (program: Hex, admin: Hex, row: VenueRow) => change(program, admin, u8(6), rowBytes(row));
/** First of two steps; null withdraws a proposal. */
export const proposeAdmin = (program: Hex, admin: Hex, next: Hex | null) =>
  change(program, admin, u8(7), bufferOf(next ?? ZERO_ADDRESS));
export const acceptAdmin = (program: Hex, next: Hex) => change(program, next, u8(8));
export const setFee = (program: Hex, admin: Hex, feeOwner: Hex | null, maxFeeBps: number) =>
  change(program, admin, u8(9), feeBytes(feeOwner, maxFeeBps));

/** A hop over one of our own venues, in a route of the short form. */
export interface Hop extends SwapAccounts {
  venue: Hex;
  /** The user's account that takes the hop's output; the last hop of a leg pays the destination. */
  userOut: Hex;
}

/** A hop over any venue: its accounts in the order of the venue's own instruction, the user's among them. */
export interface ListedHop {
  venue: Hex;
  userOut: Hex;
  list: readonly AccountUse[];
  /** Whether the venue moves coins of the user itself in place of wrapped ones; what unwraps them then ends the list. */
  movesCoins?: boolean;
  /** Of an exact output, behind the first hop: the most input; without it the program computes it (our own venues alone). */
  mostIn?: bigint;
}

export interface Leg<H = Hop> {
  /** Share of the amount in hundredths of a percent; all legs together have 10,000. */
  shareBps: number;
  hops: readonly H[];
}

/** Who holds the wrapped coins of a side that is native: the user's own account, or one for the time of the route. */
export type Native = { side: 'input' | 'output'; holder: 'given' | 'temporary' };

export interface ProgramRoute<H = Hop> {
  mode: 'exactIn' | 'exactOut';
  user: Hex;
  source: Hex;
  destination: Hex;
  /** Of the input for an exact input, of the output for an exact output. */
  amount: bigint;
  /** Least output, or most input with the fee in it. */
  limit: bigint;
  /** In the output's token for an exact input, in the input's for an exact output. */
  fee?: { bps: number; account: Hex };
  native?: Native;
  legs: readonly Leg<H>[];
}

/** A route over our own venues. */
export const route = (program: Hex, order: ProgramRoute): Instruction => {
  const hops = order.legs.flatMap((leg) => leg.hops);
  return {
    program,
    accounts: [
      ...headAccounts(program, order),
      ...hops.flatMap((hop): AccountUse[] => [
        reads(hop.venue),
        hop.stateChanges ? writes(hop.state) : reads(hop.state),
        writes(hop.vaultIn),
        writes(hop.vaultOut),
        writes(hop.userOut),
      ]),
    ],
    data: Buffer.concat([
      ...headData(order, order.mode === 'exactIn' ? 1 : 2),
      ...order.legs.map((leg) => Buffer.concat([u16(leg.shareBps), u8(leg.hops.length)])),
    ]),
  };
};

/** A route over venues of any kind. The user is in the lists without signing: it signs the route itself. */
export const venueRoute = (program: Hex, order: ProgramRoute<ListedHop>): Instruction => {
  const hops = order.legs.flatMap((leg) => leg.hops);
  const [, user] = headAccounts(program, order, hops);
  const listed = (use: AccountUse): AccountUse => (use.id === order.user ? user! : use);
  const whole = ({ list, movesCoins }: ListedHop): AccountUse[] => [
    ...list.map(listed),
    ...(movesCoins ? [writes(coinsId(program, order.user))] : []),
  ];
  return {
    program,
    accounts: [
      ...headAccounts(program, order, hops),
      ...hops.flatMap((hop): AccountUse[] => [reads(hop.venue), writes(hop.userOut), ...whole(hop)]),
    ],
    data: Buffer.concat([
      ...headData(order, order.mode === 'exactIn' ? 10 : 11),
      ...order.legs.map((leg) =>
        Buffer.concat([
          ...[u16(leg.shareBps), u8(leg.hops.length)],
          ...leg.hops.map((hop) => Buffer.concat([u8(whole(hop).length), u64(hop.mostIn ?? 0n)])),
        ]),
      ),
    ]),
  };
};

function headAccounts(program: Hex, order: ProgramRoute<unknown>, hops: readonly ListedHop[] = []): AccountUse[] {
  // A venue that the user pays rents to has the user writable in its list.
  const pays = hops.some(({ list }) => list.some(({ id, writable }) => id === order.user && writable));
  return [
    reads(configId(program)),
    signs(order.user, pays || order.native !== undefined),
    writes(order.source),
    writes(order.destination),
    // The program's own id means: no fee account.
    order.fee ? writes(order.fee.account) : reads(program),
    reads(TOKEN_PROGRAM_ID),
    reads(SYSTEM_PROGRAM),
    reads(WRAPPED_MINT),
  ];
}

function headData(order: ProgramRoute<unknown>, tag: number): Buffer[] {
  const wraps = order.native?.side === 'input';
  const flags = order.native ? (wraps ? 1 : 2) | (order.native.holder === 'temporary' ? 4 : 0) : 0;
  return [
    ...[u8(tag), u8(flags), u64(order.amount), u64(order.limit)],
    ...[u16(order.fee?.bps ?? 0), u8(order.legs.length)],
  ];
}

export interface RouteEvent {
  mode: 'exactIn' | 'exactOut';
  user: Hex;
  mintIn: Hex;
  mintOut: Hex;
  /** All that left the user, with a fee on the input. */
  amountIn: bigint;
  /** All that reached the user, without a fee on the output. */
  amountOut: bigint;
  fee: bigint;
  feeBps: number;
  legs: number;
}

/** An event out of the bytes of a `Program data:` line of the program; null for anything else. */
export function readRouteEvent(data: Uint8Array): RouteEvent | null {
  const f = new Fields(data);
  if (f.tag() !== 'TPROUTE1' || f.length !== 136) return null;
  return {
    mode: f.u8(130) === 1 ? 'exactOut' : 'exactIn',
    user: f.id(8),
    mintIn: f.id(40),
    mintOut: f.id(72),
    amountIn: f.u64(104),
    amountOut: f.u64(112),
    fee: f.u64(120),
    feeBps: f.u16(128),
    legs: f.u8(131),
  };
}
