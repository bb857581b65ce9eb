import { createHash } from 'node:crypto';
import type { Keypair } from '@solana/web3.js';
import type { Hex } from '#libs/core/ids.js';
import {
  bufferOf,
  type Instruction,
  SYSTEM_PROGRAM,
  signs,
  UPGRADEABLE_LOADER,
  u32,
  u64,
  writes,
} from '#programs/instruction.js';

/**
 * Accounts of the loader at addresses that follow from the deployer's key and a word: a command that was interrupted finds
 * them again without having kept anything. Making one works also when its address had been sent coins before.
 */
export interface MadeAccount {
  id: Hex;
  /** Who signs for it: the word under the payer's key, or a key of its own. */
  from: { seed: string } | { keypair: Keypair };
}

export const seededAccount = (base: Hex, seed: string): MadeAccount => ({
  id: createHash('sha256').update(bufferOf(base)).update(seed).update(bufferOf(UPGRADEABLE_LOADER)).digest('hex'),
  from: { seed },
});

export const ownAccount = (keypair: Keypair): MadeAccount => ({
  id: keypair.publicKey.toBuffer().toString('hex'),
  from: { keypair },
});

export const signersOf = ({ from }: MadeAccount): Keypair[] => ('keypair' in from ? [from.keypair] : []);

/** Instructions that give the account its lamports, its room and the loader as its owner. */
export function makeAccount(payer: Hex, made: MadeAccount, bytes: number, lamports: bigint): Instruction[] {
  const { id, from } = made;
  const system = (accounts: Instruction['accounts'], ...data: Buffer[]): Instruction => ({
    program: SYSTEM_PROGRAM,
    accounts,
    data: Buffer.concat(data),
  });
  const loader = bufferOf(UPGRADEABLE_LOADER);
  const pay = system([signs(payer, true), writes(id)], u32(2), u64(lamports));
  const place =
    'keypair' in from
      ? [system([signs(id, true)], u32(8), u64(BigInt(bytes))), system([signs(id, true)], u32(1), loader)]
      : [
          system(
            [writes(id), signs(payer)],
            ...[u32(9), bufferOf(payer), u64(BigInt(from.seed.length)), Buffer.from(from.seed)],
            ...[u64(BigInt(bytes)), loader],
          ),
        ];
  return lamports > 0n ? [pay, ...place] : place;
}
