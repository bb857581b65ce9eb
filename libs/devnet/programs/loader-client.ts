import type { Hex } from '#libs/core/ids.js';
import {
  bytesOf,
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
 * Deployment through the upgradeable loader: a buffer is made and filled, then deployed. One write carries at most what
 * still fits a legacy transaction, which is also the loader's own limit of instruction data.
 */
const WRITE_BYTES = 900;
const BUFFER_HEAD = 37;
const PROGRAM_BYTES = 36;

const createAccount = (payer: Hex, made: Hex, lamports: bigint, bytes: number): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [signs(payer, true), signs(made, true)],
  data: Buffer.concat([u32(0), u64(lamports), u64(BigInt(bytes)), bytesOf(UPGRADEABLE_LOADER)]),
});

export interface Deployment {
  payer: Hex;
  /** Fresh keys that sign the first and the last transaction. */
  buffer: Hex;
  program: Hex;
  /** Becomes the upgrade authority and signs every transaction. */
  authority: Hex;
  code: Uint8Array;
  /** Least balance of an account of that many bytes. */
  rent(bytes: number): bigint;
}

/** Instructions of each transaction, in order. A program can be called from the slot after its deployment. */
export function deployment({ payer, buffer, program, authority, code, rent }: Deployment): Instruction[][] {
  const loader = UPGRADEABLE_LOADER;
  const space = BUFFER_HEAD + code.length;
  const writesOfCode: Instruction[][] = [];
  for (let at = 0; at < code.length; at += WRITE_BYTES) {
    const piece = code.subarray(at, at + WRITE_BYTES);
    const data = Buffer.concat([u32(1), u32(at), u64(BigInt(piece.length)), piece]);
    writesOfCode.push([{ program: loader, accounts: [writes(buffer), signs(authority)], data }]);
  }
  return [
    [
      createAccount(payer, buffer, rent(space), space),
      { program: loader, accounts: [writes(buffer), reads(authority)], data: u32(0) },
    ],
    ...writesOfCode,
    [
      createAccount(payer, program, rent(PROGRAM_BYTES), PROGRAM_BYTES),
      {
        program: loader,
        accounts: [
          signs(payer, true),
          writes(derive(loader, bytesOf(program)).id),
          writes(program),
          writes(buffer),
          reads(RENT_SYSVAR),
          reads(CLOCK_SYSVAR),
          reads(SYSTEM_PROGRAM),
          signs(authority),
        ],
        data: Buffer.concat([u32(2), u64(BigInt(code.length))]),
      },
    ],
  ];
}

/**
 * Bytes of the account at the program data address, for local chains that place a program without the loader: they set it
 * so that the program has an upgrade authority.
 */
export function programData(code: Uint8Array, authority: Hex, slot = 0n): Uint8Array {
  return Buffer.concat([u32(3), u64(slot), u8(1), bytesOf(authority), code]);
}
