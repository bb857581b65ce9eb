import { type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

const POOL = ['f19a6d0411b16dbc'];
const CONFIG = ['95089ccaa0fcb0d9'];
/** Up to the coin's creator and up to the flags. */
const POOL_BYTES = 211;
const CONFIG_BYTES = 57;
const COIN_CREATOR_AT = 211;
const MAYHEM_AT = 243;
const CASHBACK_AT = 244;
const VIRTUAL_QUOTE_AT = 245;
const CREATOR_RATE_AT = 261;
/** Of the protocol and of the creator. */
const UNSWEPT_AT = [271, 279];
const RECIPIENTS_AT = 643;
const RECIPIENTS = 8;
const CREATOR_RATES_AT = 940;
const BUYS_DISABLED = 8;
const SELLS_DISABLED = 16;
const NO_KEY = '11111111111111111111111111111111';

export const readPumpSwapPool = accountReader(POOL, POOL_BYTES, (account) => {
  const holds = (end: number): boolean => account.data.length >= end;
  return {
    creator: account.key(11),
    baseMint: account.key(43),
    quoteMint: account.key(75),
    baseVault: account.key(139),
    quoteVault: account.key(171),
    coinCreator: holds(COIN_CREATOR_AT + 32) ? account.key(COIN_CREATOR_AT) : NO_KEY,
    mayhem: holds(MAYHEM_AT + 1) && account.u8(MAYHEM_AT) !== 0,
    /** Added to the quote vault's balance where the price is computed. */
    virtualQuote: holds(VIRTUAL_QUOTE_AT + 16) ? BigInt.asIntN(128, account.u128(VIRTUAL_QUOTE_AT)) : 0n,
    /** Basis points of the creator's own rate; 0 for that of the fee program. */
    creatorRate: holds(CREATOR_RATE_AT + 8) ? account.u64(CREATOR_RATE_AT) : 0n,
    /** Whether the creator's fee goes back to the trader, who then needs further accounts. */
    cashback: holds(CASHBACK_AT + 1) && account.u8(CASHBACK_AT) !== 0,
    /** Fees that are in the quote vault until they are swept; no trader is paid out of these. */
    unswept: UNSWEPT_AT.reduce((sum, at) => sum + (holds(at + 8) ? account.u64(at) : 0n), 0n),
  };
});
/** A pool's account. Fields that earlier versions do not hold are zero, as the program reads them. */
export type PumpSwapPool = AccountOf<typeof readPumpSwapPool>;

export const readPumpSwapConfig = accountReader(CONFIG, CONFIG_BYTES, (account) => {
  const disabled = account.u8(56);
  return {
    buysDisabled: (disabled & BUYS_DISABLED) !== 0,
    sellsDisabled: (disabled & SELLS_DISABLED) !== 0,
    /** Whether pools may have a creator's rate of their own. */
    creatorRates: account.data.length > CREATOR_RATES_AT && account.u8(CREATOR_RATES_AT) !== 0,
  };
});
export type PumpSwapConfig = AccountOf<typeof readPumpSwapConfig>;

/** Owners of the accounts that a part of the protocol's fee may go to; a swap names one of them. */
export const readBuybackRecipients = accountReader(CONFIG, RECIPIENTS_AT + 32 * RECIPIENTS, (account) =>
  Array.from({ length: RECIPIENTS }, (_, nth) => account.key(RECIPIENTS_AT + 32 * nth)),
);
