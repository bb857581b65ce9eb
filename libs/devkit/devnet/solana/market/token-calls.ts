import type { Hex } from '#libs/core/ids.js';
import {
  associatedId,
  bufferOf,
  createAssociatedAccount,
  type Instruction,
  idOf,
  reads,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  u8,
  u16,
  u32,
  u64,
  writes,
} from '#programs/client.js';

/** Instructions of the system program, the token programs and the compute budget that the market's wallets send. */
export const TOKEN_2022 = idOf('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const COMPUTE_BUDGET = idOf('ComputeBudget111111111111111111111111111111');

export interface MintRef {
  id: Hex;
  decimals: number;
  /** The token program it belongs to. */
  program: Hex;
}

const known = new Map<string, Hex>();

/** The associated token account of an owner. */
export function associated(owner: Hex, { id, program }: Pick<MintRef, 'id' | 'program'>): Hex {
  const key = `${owner}${id}`;
  let found = known.get(key);
  if (found === undefined) {
    found = associatedId(owner, id, program);
    known.set(key, found);
  }
  return found;
}

/** Makes the associated account unless it is there. */
export const createAssociated = (payer: Hex, owner: Hex, mint: Pick<MintRef, 'id' | 'program'>): Instruction =>
  createAssociatedAccount(payer, owner, mint.id, mint.program);

export const transferLamports = (from: Hex, to: Hex, lamports: bigint): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [signs(from, true), writes(to)],
  data: Buffer.concat([u32(2), u64(lamports)]),
});

export const createAccount = (payer: Hex, made: Hex, lamports: bigint, bytes: number, owner: Hex): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [signs(payer, true), signs(made, true)],
  data: Buffer.concat([u32(0), u64(lamports), u64(BigInt(bytes)), bufferOf(owner)]),
});

/** Without a freeze authority when `freeze` is null. */
export const initializeMint = (mint: MintRef, authority: Hex, freeze: Hex | null): Instruction => ({
  program: mint.program,
  accounts: [writes(mint.id)],
  data: Buffer.concat([
    u8(20),
    u8(mint.decimals),
    bufferOf(authority),
    freeze === null ? u8(0) : Buffer.concat([u8(1), bufferOf(freeze)]),
  ]),
});

export const mintTo = (mint: MintRef, to: Hex, authority: Hex, amount: bigint): Instruction => ({
  program: mint.program,
  accounts: [writes(mint.id), writes(to), signs(authority)],
  data: Buffer.concat([u8(7), u64(amount)]),
});

export const transferTokens = (mint: MintRef, from: Hex, to: Hex, owner: Hex, amount: bigint): Instruction => ({
  program: mint.program,
  accounts: [writes(from), reads(mint.id), writes(to), signs(owner)],
  data: Buffer.concat([u8(12), u64(amount), u8(mint.decimals)]),
});

/** From now on no more is minted. */
export const renounceMinting = (mint: MintRef, authority: Hex): Instruction => ({
  program: mint.program,
  accounts: [writes(mint.id), signs(authority)],
  data: Buffer.concat([u8(6), u8(0), u8(0)]),
});

/** Makes the balance of a wrapped account what its lamports say. */
export const syncNative = (account: Hex): Instruction => ({
  program: TOKEN_PROGRAM_ID,
  accounts: [writes(account)],
  data: u8(17),
});

export const closeAccount = (account: Hex, owner: Hex): Instruction => ({
  program: TOKEN_PROGRAM_ID,
  accounts: [writes(account), writes(owner), signs(owner)],
  data: u8(9),
});

/** Token-2022, before the mint is initialized: its metadata are in the mint itself. */
export const pointToOwnMetadata = (mint: Hex, authority: Hex): Instruction => ({
  program: TOKEN_2022,
  accounts: [writes(mint)],
  data: Buffer.concat([u8(39), u8(0), bufferOf(authority), bufferOf(mint)]),
});

/** Token-2022, before the mint is initialized: a share of every transfer is withheld. */
export const takeTransferFee = (mint: Hex, authority: Hex, bps: number, most: bigint): Instruction => {
  const someone = Buffer.concat([u8(1), bufferOf(authority)]);
  return {
    program: TOKEN_2022,
    accounts: [writes(mint)],
    data: Buffer.concat([u8(26), u8(0), someone, someone, u16(bps), u64(most)]),
  };
};

const text = (value: string): Buffer => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)]);
/** Head of the metadata interface's `initialize`. */
const INITIALIZE_METADATA = Buffer.from('d2e11ea258b84d8d', 'hex');

/** Token-2022, after the mint is initialized; the mint's account must pay for the room. */
export const writeOwnMetadata = (
  mint: Hex,
  authority: Hex,
  texts: { name: string; symbol: string; uri: string },
): Instruction => ({
  program: TOKEN_2022,
  accounts: [writes(mint), reads(authority), reads(mint), signs(authority)],
  data: Buffer.concat([INITIALIZE_METADATA, text(texts.name), text(texts.symbol), text(texts.uri)]),
});

export const unitLimit = (units: number): Instruction => ({
  program: COMPUTE_BUDGET,
  accounts: [],
  data: Buffer.concat([u8(2), u32(units)]),
});

/** Micro-lamports a unit. */
export const unitPrice = (price: bigint): Instruction => ({
  program: COMPUTE_BUDGET,
  accounts: [],
  data: Buffer.concat([u8(3), u64(price)]),
});
