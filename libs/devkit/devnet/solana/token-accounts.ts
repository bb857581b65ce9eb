import { encodeBase58 } from '#libs/core/base58.js';

/** Token accounts and mints of SPL Token and Token-2022, read from their raw bytes. */
export const TOKEN_PROGRAM_TEXT = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

const ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
const NATIVE_MINT = 'So11111111111111111111111111111111111111112';

export interface TokenAccount {
  mint: string;
  owner: string;
  amount: bigint;
  state: 'initialized' | 'frozen';
  isNative: boolean;
  /** Lamports that stay outside the balance of wrapped SOL. */
  rentExemptReserve: bigint;
  delegate: string | null;
  delegatedAmount: bigint;
  closeAuthority: string | null;
}

export interface Mint {
  decimals: number;
  supply: bigint;
  mintAuthority: string | null;
  freezeAuthority: string | null;
}

export interface UiTokenAmount {
  amount: string;
  decimals: number;
  uiAmount: number | null;
  uiAmountString: string;
}

export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM_TEXT || program === TOKEN_2022_PROGRAM;
}

/** Null for accounts of token programs that are no initialized token account. */
export function readTokenAccount(data: Uint8Array): TokenAccount | null {
  const view = viewOf(data);
  if (data.length < ACCOUNT_BYTES || (data.length > ACCOUNT_BYTES && data[ACCOUNT_BYTES] !== 2)) return null;
  const state = data[108];
  if (state !== 1 && state !== 2) return null;
  const isNative = view.getUint32(109, true) === 1;
  return {
    mint: encodeBase58(data.subarray(0, 32)),
    owner: encodeBase58(data.subarray(32, 64)),
    amount: view.getBigUint64(64, true),
    state: state === 1 ? 'initialized' : 'frozen',
    isNative,
    rentExemptReserve: isNative ? view.getBigUint64(113, true) : 0n,
    delegate: optionalKey(data, 72),
    delegatedAmount: view.getBigUint64(121, true),
    closeAuthority: optionalKey(data, 129),
  };
}

export function readMint(data: Uint8Array): Mint | null {
  const sized = data.length === MINT_BYTES || (data.length > ACCOUNT_BYTES && data[ACCOUNT_BYTES] === 1);
  if (!sized || data[45] !== 1) return null;
  return {
    decimals: data[44] as number,
    supply: viewOf(data).getBigUint64(36, true),
    mintAuthority: optionalKey(data, 0),
    freezeAuthority: optionalKey(data, 46),
  };
}

export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals > 0 ? digits.slice(-decimals).replace(/0+$/, '') : '';
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

/** What `jsonParsed` shows of an account of a token program; null when it is neither account nor mint. */
export function parsedTokenData(
  program: string,
  data: Uint8Array,
  decimalsOf: (mint: string) => number | null,
): object | null {
  const name = program === TOKEN_PROGRAM_TEXT ? 'spl-token' : 'spl-token-2022';
  const mint = readMint(data);
  if (mint) {
    const { decimals, supply, mintAuthority, freezeAuthority } = mint;
    const info = { decimals, freezeAuthority, isInitialized: true, mintAuthority, supply: supply.toString() };
    return { program: name, parsed: { info, type: 'mint' }, space: data.length };
  }
  const account = readTokenAccount(data);
  if (!account) return null;
  const decimals = account.mint === NATIVE_MINT ? 9 : decimalsOf(account.mint);
  if (decimals === null) return null;
  const { delegate, delegatedAmount, closeAuthority, rentExemptReserve } = account;
  const info = {
    isNative: account.isNative,
    mint: account.mint,
    owner: account.owner,
    state: account.state,
    tokenAmount: uiTokenAmount(account.amount, decimals),
    ...(closeAuthority === null ? {} : { closeAuthority }),
    ...(delegate === null ? {} : { delegate, delegatedAmount: uiTokenAmount(delegatedAmount, decimals) }),
    ...(account.isNative ? { rentExemptReserve: uiTokenAmount(rentExemptReserve, decimals) } : {}),
  };
  return { program: name, parsed: { info, type: 'account' }, space: data.length };
}

function optionalKey(data: Uint8Array, at: number): string | null {
  return viewOf(data).getUint32(at, true) === 1 ? encodeBase58(data.subarray(at + 4, at + 36)) : null;
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
