import type { Hex } from '#libs/core/ids.js';
import {
  associatedId,
  createAssociatedAccount,
  type Instruction,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  u8,
  u32,
  u64,
  WRAPPED_MINT,
  writes,
} from '#programs/client.js';

const SYNC_NATIVE = 17;
const CLOSE_ACCOUNT = 9;

export interface WrappedBuy {
  readonly creator: Hex;
  /** Of the token program, not of Token-2022. */
  readonly mint: Hex;
  readonly lamports: bigint;
  /** The creator's account of wrapped coins was there before: it stays. */
  readonly keepsCoins: boolean;
}

export const coinsOf = (creator: Hex): Hex => associatedId(creator, WRAPPED_MINT);

/** Coins into an account of wrapped ones, these into the curve by `swap`, and what is left back to the creator. */
export function wrappedBuy({ creator, mint, lamports, keepsCoins }: WrappedBuy, swap: Instruction): Instruction[] {
  const coins = coinsOf(creator);
  return [
    createAssociatedAccount(creator, creator, WRAPPED_MINT),
    transferLamports(creator, coins, lamports),
    { program: TOKEN_PROGRAM_ID, accounts: [writes(coins)], data: u8(SYNC_NATIVE) },
    createAssociatedAccount(creator, creator, mint),
    swap,
    ...(keepsCoins ? [] : [closeAccount(coins, creator)]),
  ];
}

const transferLamports = (from: Hex, to: Hex, lamports: bigint): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [signs(from, true), writes(to)],
  data: Buffer.concat([u32(2), u64(lamports)]),
});

const closeAccount = (account: Hex, owner: Hex): Instruction => ({
  program: TOKEN_PROGRAM_ID,
  accounts: [writes(account), writes(owner), signs(owner)],
  data: u8(CLOSE_ACCOUNT),
});
