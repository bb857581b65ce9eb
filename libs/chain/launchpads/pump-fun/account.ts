import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

const CURVE = ['17b7f83760d8ac60'];
const GLOBAL = ['a7e8e8b1c86c727f'];
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

export const readPumpCurve = accountReader(CURVE, CURVE_BYTES, (account) => {
  const holds = (end: number): boolean => account.data.length >= end;
  return {
    virtualTokens: account.u64(8),
    virtualQuote: account.u64(16),
    realTokens: account.u64(24),
    realQuote: account.u64(32),
    /** All tokens that there were at first. */
    tokenSupply: account.u64(40),
    complete: account.u8(48) !== 0,
    creator: holds(CREATOR_AT + 32) ? account.key(CREATOR_AT) : NO_KEY,
    mayhem: holds(MAYHEM_AT + 1) && account.u8(MAYHEM_AT) !== 0,
    /** Whether the creator's fee goes back to the trader, which the instructions that routes use refuse. */
    cashback: holds(CASHBACK_AT + 1) && account.u8(CASHBACK_AT) !== 0,
    /** The address of zeros for SOL. */
    quoteMint: holds(QUOTE_MINT_AT + 32) ? account.key(QUOTE_MINT_AT) : NO_KEY,
    /** Basis points of the creator's own rate; 0 for that of the fee program. The program wrote it with the flag behind it. */
    creatorRate: holds(CREATOR_RATE_AT + 9) ? account.u64(CREATOR_RATE_AT) : 0n,
  };
});
/** A curve's account; it does not name its token. Fields that earlier versions do not hold are zero. */
export type PumpCurveAccount = AccountOf<typeof readPumpCurve>;

export const readPumpGlobal = accountReader(GLOBAL, GLOBAL_BYTES, (account) => ({
  /** Whether curves may have a creator's rate of their own. */
  creatorRates: account.data.length > CREATOR_RATES_AT && account.u8(CREATOR_RATES_AT) !== 0,
}));
export type PumpGlobal = AccountOf<typeof readPumpGlobal>;

/** Wallets that a part of the protocol's fee may go to; a swap names one of them. */
export const readBuybackRecipients = accountReader(GLOBAL, RECIPIENTS_AT + 32 * RECIPIENTS, (account) =>
  Array.from({ length: RECIPIENTS }, (_, nth) => account.key(RECIPIENTS_AT + 32 * nth)),
);
