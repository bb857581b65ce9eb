import type { Hex } from '#libs/core/ids.js';
import { bufferOf, type Instruction, SYSTEM_PROGRAM, signs, UPGRADEABLE_LOADER, u32, u64 } from '../instruction.js';
import {
  BUFFER_HEAD,
  deployBuffer,
  initializeBuffer,
  type LoaderAccounts,
  PROGRAM_BYTES,
  WRITE_BYTES,
  writeBuffer,
} from '../loader-client.js';

const createAccount = (payer: Hex, made: Hex, lamports: bigint, bytes: number): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [signs(payer, true), signs(made, true)],
  data: Buffer.concat([u32(0), u64(lamports), u64(BigInt(bytes)), bufferOf(UPGRADEABLE_LOADER)]),
});

/** Fresh keys for buffer and program, which sign the first and the last transaction. */
interface LoaderDeployment extends LoaderAccounts {
  code: Uint8Array;
  /** Least balance of an account of that many bytes. */
  rent(bytes: number): bigint;
}

/** Instructions of each transaction, in order. A program can be called from the slot after its deployment. */
export function deployment({ code, rent, ...places }: LoaderDeployment): Instruction[][] {
  const { payer, buffer, program, authority } = places;
  const space = BUFFER_HEAD + code.length;
  const writesOfCode: Instruction[][] = [];
  for (let at = 0; at < code.length; at += WRITE_BYTES) {
    writesOfCode.push([writeBuffer(buffer, authority, at, code.subarray(at, at + WRITE_BYTES))]);
  }
  return [
    [createAccount(payer, buffer, rent(space), space), initializeBuffer(buffer, authority)],
    ...writesOfCode,
    [createAccount(payer, program, rent(PROGRAM_BYTES), PROGRAM_BYTES), deployBuffer(places, code.length)],
  ];
}
