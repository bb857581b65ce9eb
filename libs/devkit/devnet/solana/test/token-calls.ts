import { PublicKey as Key, type Keypair, type PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { TOKEN_PROGRAM_TEXT } from '../token-accounts.js';

/** Instructions of SPL Token that specs need, written by hand. */
const TOKEN = new Key(TOKEN_PROGRAM_TEXT);

const meta = (pubkey: PublicKey, isWritable: boolean, isSigner = false) => ({ pubkey, isWritable, isSigner });

function call(keys: ReturnType<typeof meta>[], data: Uint8Array): TransactionInstruction {
  return new TransactionInstruction({ programId: TOKEN, keys, data: Buffer.from(data) });
}

function amountBytes(tag: number, amount: bigint, decimals?: number): Buffer {
  const data = Buffer.alloc(decimals === undefined ? 9 : 10);
  data[0] = tag;
  data.writeBigUInt64LE(amount, 1);
  if (decimals !== undefined) data[9] = decimals;
  return data;
}

export function createMint(
  payer: Keypair,
  mint: Keypair,
  decimals: number,
  lamports: number,
): TransactionInstruction[] {
  const fromPubkey = payer.publicKey;
  return [
    SystemProgram.createAccount({
      fromPubkey,
      newAccountPubkey: mint.publicKey,
      lamports,
      space: 82,
      programId: TOKEN,
    }),
    call(
      [meta(mint.publicKey, true)],
      Buffer.concat([Uint8Array.of(20, decimals), fromPubkey.toBytes(), Uint8Array.of(0)]),
    ),
  ];
}

export function createTokenAccount(
  payer: Keypair,
  account: Keypair,
  mint: PublicKey,
  owner: PublicKey,
  lamports: number,
): TransactionInstruction[] {
  return [
    SystemProgram.createAccount({
      fromPubkey: payer.publicKey,
      newAccountPubkey: account.publicKey,
      lamports,
      space: 165,
      programId: TOKEN,
    }),
    call([meta(account.publicKey, true), meta(mint, false)], Buffer.concat([Uint8Array.of(18), owner.toBytes()])),
  ];
}

export function mintTo(mint: PublicKey, to: PublicKey, authority: PublicKey, amount: bigint): TransactionInstruction {
  return call([meta(mint, true), meta(to, true), meta(authority, false, true)], amountBytes(7, amount));
}

export function transferTokens(from: PublicKey, to: PublicKey, owner: PublicKey, amount: bigint) {
  return call([meta(from, true), meta(to, true), meta(owner, false, true)], amountBytes(3, amount));
}

/** The associated account of an owner, made by the program of that name. */
export function createAssociated(owner: PublicKey, mint: PublicKey) {
  const programId = new Key('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
  const [account] = Key.findProgramAddressSync([owner.toBytes(), TOKEN.toBytes(), mint.toBytes()], programId);
  const keys = [
    meta(owner, true, true),
    meta(account, true),
    meta(owner, false),
    meta(mint, false),
    meta(SystemProgram.programId, false),
    meta(TOKEN, false),
  ];
  return { account, instruction: new TransactionInstruction({ programId, keys, data: Buffer.from([0]) }) };
}
