import { createHash } from 'node:crypto';
import { type Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { TOKEN_2022_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { METAPLEX_PROGRAM } from '#libs/chain/chains/solana/token/metaplex.js';

/** Instructions of the token programs by their published layouts, written by hand, and a Metaplex account by its own. */
type Meta = { pubkey: PublicKey; isWritable: boolean; isSigner: boolean };
const writes = (pubkey: PublicKey): Meta => ({ pubkey, isWritable: true, isSigner: false });
const reads = (pubkey: PublicKey): Meta => ({ pubkey, isWritable: false, isSigner: false });
const signs = (pubkey: PublicKey): Meta => ({ pubkey, isWritable: false, isSigner: true });
const T22 = new PublicKey(TOKEN_2022_PROGRAM);

const call = (program: PublicKey, keys: Meta[], ...data: (Uint8Array | number)[]): TransactionInstruction =>
  new TransactionInstruction({
    programId: program,
    keys,
    data: Buffer.concat(data.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part))),
  });

const u16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const text = (value: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([u32(bytes.length), bytes]);
};
const tag = (name: string): Buffer =>
  createHash('sha256').update(`spl_token_metadata_interface:${name}`).digest().subarray(0, 8);

/** A mint of Token-2022 that names itself for its metadata and takes a fee of transfers. */
export function createMint2022(
  payer: PublicKey,
  mint: PublicKey,
  decimals: number,
  feeBps: number,
): TransactionInstruction[] {
  const space = 166 + 4 + 64 + 4 + 108;
  return [
    SystemProgram.createAccount({
      fromPubkey: payer,
      newAccountPubkey: mint,
      lamports: 50_000_000,
      space,
      programId: T22,
    }),
    call(T22, [writes(mint)], 39, 0, payer.toBytes(), mint.toBytes()),
    call(T22, [writes(mint)], 26, 0, 1, payer.toBytes(), 1, payer.toBytes(), u16(feeBps), Buffer.alloc(8, 1)),
    call(T22, [writes(mint)], 20, decimals, payer.toBytes(), 1, payer.toBytes()),
  ];
}

export const initializeMetadata = (authority: PublicKey, mint: PublicKey, name: string, symbol: string, uri: string) =>
  call(
    T22,
    [writes(mint), reads(authority), reads(mint), signs(authority)],
    tag('initialize_account'),
    text(name),
    text(symbol),
    text(uri),
  );

/** Fields: 0 name, 1 symbol, 2 uri. */
export const updateField = (authority: PublicKey, mint: PublicKey, field: number, value: string) =>
  call(T22, [writes(mint), signs(authority)], tag('updating_field'), field, text(value));

export const updateMetadataAuthority = (authority: PublicKey, mint: PublicKey, to: PublicKey | null) =>
  call(T22, [writes(mint), signs(authority)], tag('update_the_authority'), to?.toBytes() ?? Buffer.alloc(32));

export const setTransferFee = (authority: PublicKey, mint: PublicKey, bps: number) =>
  call(T22, [writes(mint), signs(authority)], 26, 5, u16(bps), Buffer.alloc(8, 1));

export const setAuthority = (program: string, of: PublicKey, type: number, from: PublicKey, to: PublicKey | null) =>
  call(
    new PublicKey(program),
    [writes(of), signs(from)],
    6,
    type,
    to === null ? 0 : 1,
    to?.toBytes() ?? Buffer.alloc(0),
  );

export const burn = (program: string, account: PublicKey, mint: PublicKey, owner: PublicKey, amount: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(amount);
  return call(new PublicKey(program), [writes(account), writes(mint), signs(owner)], 8, bytes);
};

const padded = (value: Uint8Array, size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.set(value);
  return Buffer.concat([u32(size), bytes]);
};

/** The account of Metaplex metadata, as its program lays it out. */
export function metaplexBytes(
  mint: PublicKey,
  authority: PublicKey,
  { name, symbol, uri }: { name: Uint8Array; symbol: Uint8Array; uri: Uint8Array },
  mutable = true,
  creators: readonly PublicKey[] = [],
): Uint8Array {
  const listed =
    creators.length === 0
      ? [Buffer.from([0])]
      : [Buffer.from([1]), u32(creators.length), ...creators.flatMap((key) => [key.toBytes(), Buffer.from([1, 0])])];
  const body = Buffer.concat([
    Buffer.from([4]),
    authority.toBytes(),
    mint.toBytes(),
    padded(name, 32),
    padded(symbol, 10),
    padded(uri, 200),
    u16(0),
    ...listed,
    Buffer.from([0, mutable ? 1 : 0, 1, 255]),
  ]);
  return Buffer.concat([body, Buffer.alloc(679 - body.length)]);
}

export const metaplexAccount = (data: Uint8Array) => ({
  lamports: 10_000_000n,
  owner: METAPLEX_PROGRAM,
  data,
  executable: false,
  rentEpoch: 0xffff_ffff_ffff_ffffn,
});

export const memoCall = (payer: Keypair, words: string): TransactionInstruction =>
  call(new PublicKey(MEMO), [signs(payer.publicKey)], Buffer.from(words));
export const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
