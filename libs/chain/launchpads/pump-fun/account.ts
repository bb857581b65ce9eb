import { AccountData } from '#libs/chain/chains/solana/account-data.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';

/** A curve's account; it does not name its token. Fields that earlier versions do not hold are zero. */
export interface PumpCurveAccount {
  readonly virtualTokens: bigint;
  readonly virtualQuote: bigint;
  readonly realTokens: bigint;
  readonly realQuote: bigint;
  /** All tokens that there were at first. */
  readonly tokenSupply: bigint;
  readonly complete: boolean;
  readonly creator: string;
  readonly mayhem: boolean;
  /** Whether the creator's fee goes back to the trader, which the instructions that routes use refuse. */
  readonly cashback: boolean;
  /** The address of zeros for SOL. */
  readonly quoteMint: string;
  /** Basis points of the creator's own rate; 0 for that of the fee program. */
  readonly creatorRate: bigint;
}

export interface PumpGlobal {
  /** Whether curves may have a creator's rate of their own. */
  readonly creatorRates: boolean;
}

const CURVE = [bytesOfHex('17b7f83760d8ac60')];
const GLOBAL = [bytesOfHex('a7e8e8b1c86c727f')];
const CURVE_BYTES = 49;
const GLOBAL_BYTES = 113;
const CREATOR_AT = 49;
const MAYHEM_AT = 81;
const CASHBACK_AT = 82;
const QUOTE_MINT_AT = 83;
const CREATOR_RATE_AT = 115;
const RECIPIENTS_AT = 741;
const RECIPIENTS = 8;
const CREATOR_RATES_AT = 1045;
export const NO_KEY = '11111111111111111111111111111111';

export function readPumpCurve(data: Uint8Array): PumpCurveAccount | null {
  const account = AccountData.of(data, CURVE, CURVE_BYTES);
  if (account === null) return null;
  const holds = (end: number): boolean => data.length >= end;
  return {
    virtualTokens: account.u64(8),
    virtualQuote: account.u64(16),
    realTokens: account.u64(24),
    realQuote: account.u64(32),
    tokenSupply: account.u64(40),
    complete: account.u8(48) !== 0,
    creator: holds(CREATOR_AT + 32) ? account.key(CREATOR_AT) : NO_KEY,
    mayhem: holds(MAYHEM_AT + 1) && account.u8(MAYHEM_AT) !== 0,
    cashback: holds(CASHBACK_AT + 1) && account.u8(CASHBACK_AT) !== 0,
    quoteMint: holds(QUOTE_MINT_AT + 32) ? account.key(QUOTE_MINT_AT) : NO_KEY,
    // The program wrote it together with the flag behind it.
    creatorRate: holds(CREATOR_RATE_AT + 9) ? account.u64(CREATOR_RATE_AT) : 0n,
  };
}

export function readPumpGlobal(data: Uint8Array): PumpGlobal | null {
  const account = AccountData.of(data, GLOBAL, GLOBAL_BYTES);
  if (account === null) return null;
  return { creatorRates: data.length > CREATOR_RATES_AT && account.u8(CREATOR_RATES_AT) !== 0 };
}

/** Wallets that a part of the protocol's fee may go to; a swap names one of them. */
export function readBuybackRecipients(data: Uint8Array): readonly string[] {
  const account = AccountData.of(data, GLOBAL, RECIPIENTS_AT + 32 * RECIPIENTS);
  if (account === null) return [];
  return Array.from({ length: RECIPIENTS }, (_, nth) => account.key(RECIPIENTS_AT + 32 * nth));
}
