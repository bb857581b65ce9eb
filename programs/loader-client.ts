import type { Hex } from '#libs/core/ids.js';
import {
  bufferOf,
  CLOCK_SYSVAR,
  derive,
  type Instruction,
  RENT_SYSVAR,
  reads,
  SYSTEM_PROGRAM,
  signs,
  UPGRADEABLE_LOADER,
  u8,
  u32,
  u64,
  writes,
} from './instruction.js';

/**
 * The upgradeable loader: a buffer is made and filled, then deployed, or its code replaces that of an existing program.
 * One write carries at most what still fits a legacy transaction, which is also the loader's own limit of instruction
 * data.
 */
export const WRITE_BYTES = 900;
/** What an account of the loader holds before the code. */
export const BUFFER_HEAD = 37;
export const PROGRAM_DATA_HEAD = 45;
export const PROGRAM_BYTES = 36;

const loader = UPGRADEABLE_LOADER;
const dataOf = (program: Hex): Hex => derive(loader, bufferOf(program)).id;

/** Initialises an empty account of the loader as a buffer; only the named authority may write to it. */
export const initializeBuffer = (buffer: Hex, authority: Hex): Instruction => ({
  program: loader,
  accounts: [writes(buffer), reads(authority)],
  data: u32(0),
});

export const writeBuffer = (buffer: Hex, authority: Hex, at: number, piece: Uint8Array): Instruction => ({
  program: loader,
  accounts: [writes(buffer), signs(authority)],
  data: Buffer.concat([u32(1), u32(at), u64(BigInt(piece.length)), piece]),
});

export interface LoaderAccounts {
  /** Pays for the program data and gets what the buffer held. */
  payer: Hex;
  buffer: Hex;
  /** For a deployment an account of the loader without content; no signature of it is needed. */
  program: Hex;
  /** Of the buffer; becomes or is the upgrade authority. */
  authority: Hex;
}

/** Makes a program of a buffer, with room for that many bytes of code. */
export const deployBuffer = ({ payer, buffer, program, authority }: LoaderAccounts, maxBytes: number): Instruction => ({
  program: loader,
  accounts: [
    signs(payer, true),
    writes(dataOf(program)),
    writes(program),
    writes(buffer),
    reads(RENT_SYSVAR),
    reads(CLOCK_SYSVAR),
    reads(SYSTEM_PROGRAM),
    signs(authority),
  ],
  data: Buffer.concat([u32(2), u64(BigInt(maxBytes))]),
});

/** Replaces the code of a program by that of a buffer. */
export const upgradeProgram = ({ payer, buffer, program, authority }: LoaderAccounts): Instruction => ({
  program: loader,
  accounts: [
    writes(dataOf(program)),
    writes(program),
    writes(buffer),
    writes(payer),
    reads(RENT_SYSVAR),
    reads(CLOCK_SYSVAR),
    signs(authority),
  ],
  data: u32(3),
});

/** Gives the program data more room. A cluster that requires the authority accepts the checked form only. */
export const extendProgram = (program: Hex, payer: Hex, more: number, authority?: Hex): Instruction => ({
  program: loader,
  accounts: [
    writes(dataOf(program)),
    writes(program),
    ...(authority === undefined ? [] : [signs(authority)]),
    reads(SYSTEM_PROGRAM),
    signs(payer, true),
  ],
  data: Buffer.concat([u32(authority === undefined ? 6 : 9), u32(more)]),
});

export type LoaderAccount =
  | { kind: 'empty' }
  | { kind: 'buffer'; authority: Hex | null; code: Buffer }
  | { kind: 'program'; programData: Hex }
  | { kind: 'program-data'; slot: bigint; authority: Hex | null; code: Buffer };

/** What an account of the loader holds, code with the zeros behind it; null for data of another program. */
export function readLoaderAccount(data: Uint8Array): LoaderAccount | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const authorityAt = (at: number): Hex | null => (bytes[at] === 1 ? bytes.toString('hex', at + 1, at + 33) : null);
  if (bytes.length < 4) return null;
  const kind = bytes.readUInt32LE(0);
  if (kind === 0) return { kind: 'empty' };
  if (kind === 1 && bytes.length >= BUFFER_HEAD) {
    return { kind: 'buffer', authority: authorityAt(4), code: bytes.subarray(BUFFER_HEAD) };
  }
  if (kind === 2 && bytes.length >= PROGRAM_BYTES) {
    return { kind: 'program', programData: bytes.toString('hex', 4, 36) };
  }
  if (kind !== 3 || bytes.length < PROGRAM_DATA_HEAD) return null;
  const code = bytes.subarray(PROGRAM_DATA_HEAD);
  return { kind: 'program-data', slot: bytes.readBigUInt64LE(4), authority: authorityAt(12), code };
}

/**
 * Bytes of the account at the program data address, for local chains that place a program without the loader: they set it
 * so that the program has an upgrade authority.
 */
export function programData(code: Uint8Array, authority: Hex, slot = 0n): Uint8Array {
  return Buffer.concat([u32(3), u64(slot), u8(1), bufferOf(authority), code]);
}
