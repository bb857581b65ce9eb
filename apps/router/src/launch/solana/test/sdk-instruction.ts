import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { Instruction } from '#programs/client.js';

/** Instructions of a published SDK next to ours. */
export const key = (id: string): PublicKey => new PublicKey(Buffer.from(id, 'hex'));

export const ours = ({ programId, keys, data }: TransactionInstruction): Instruction => ({
  program: programId.toBuffer().toString('hex'),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
    ...{ id: pubkey.toBuffer().toString('hex'), signer: isSigner, writable: isWritable },
  })),
  data: new Uint8Array(data),
});

export const plain = ({ program, accounts, data }: Instruction) => ({
  program,
  accounts: accounts.map(({ id, signer, writable }) => ({ id, signer, writable })),
  data: Buffer.from(data).toString('hex'),
});

export const randomId = (random: SeededRandom): string => new SeededKey(`key ${random.below(2 ** 30)}`).id;
