import type { AccountOf } from '#libs/chain/chains/solana/account-data.js';
import { wordAt } from '#libs/chain/chains/solana/bytes.js';
import { encodeBase58 } from '#libs/core/base58.js';

const TAG = 'TPCURVE1';
const BYTES = 456;
/** The program accepts no fee above this. */
const MAX_FEE_BPS = 1000;
const TRADING = 0;

/** Null for data that is no curve. */
export function readTidepoolCurve(data: Uint8Array) {
  if (data.length !== BYTES || String.fromCharCode(...data.subarray(0, 8)) !== TAG) return null;
  const feeBps = data[256]! | (data[257]! << 8);
  if (feeBps > MAX_FEE_BPS) return null;
  const key = (at: number): string => encodeBase58(data.subarray(at, at + 32));
  return {
    mint: key(8),
    quoteMint: key(40),
    baseVault: key(72),
    quoteVault: key(104),
    virtualQuote: wordAt(data, 200),
    virtualBase: wordAt(data, 208),
    /** Quote that was raised; the vault also holds the unclaimed fees. */
    realQuote: wordAt(data, 216),
    /** Tokens that are still for sale; the vault also holds those of the later pool. */
    remaining: wordAt(data, 224),
    forSale: wordAt(data, 232),
    feeBps: BigInt(feeBps),
    /** False once everything is sold. */
    trading: data[261] === TRADING,
  };
}

/** The account of a curve, as the program writes it. */
export type TidepoolCurve = AccountOf<typeof readTidepoolCurve>;
