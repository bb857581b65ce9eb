import type { PumpRates } from '#libs/chain/amm/pump-swap.js';
import { type AccountData, type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';

/**
 * Account of the fee program that pump.fun's curves and PumpSwap's pools share: tiers by market cap for what pump.fun
 * launched, one for each kind of quote; flat rates for everything else.
 */
interface PumpFeeTier {
  /** Least market cap of the tier, in raw units of the quote. */
  readonly from: bigint;
  readonly rates: PumpRates;
}

export const PUMP_FEE_PROGRAM = 'pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ';
const CONFIG = ['8f3492bbdb7b4c9b'];
const HEAD_BYTES = 69;
const RATE_BYTES = 24;
const TIER_BYTES = 40;
/** From which length on the programs read the tiers of stable quotes, and the rates of other quotes. */
export const STABLE_BYTES = 4_096;
export const EXOTIC_BYTES = 4_097;
const NO_RATES: PumpRates = { lp: 0n, protocol: 0n, creator: 0n };
/** The program itself lists these. */
const SOL_QUOTES: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  WRAPPED_SOL,
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP',
]);
const STABLE_QUOTES: ReadonlySet<string> = new Set(['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v']);

/** The programs take what accounts of earlier versions, which are shorter, do not hold as unset. */
export const readPumpFeeConfig = accountReader(CONFIG, HEAD_BYTES, (account) => {
  const { data } = account;
  const tiers = tiersAt(account, 65);
  if (tiers === null) return null;
  const stable = data.length < STABLE_BYTES ? null : tiersAt(account, tiers.end);
  const end = stable === null || data.length < EXOTIC_BYTES ? data.length : stable.end;
  return {
    flat: ratesAt(account, 41),
    tiers: tiers.tiers,
    stableTiers: stable?.tiers ?? [],
    /** For quotes that are neither SOL nor a listed stable coin; all zero while unset. */
    exoticFlat: end + RATE_BYTES <= data.length ? ratesAt(account, end) : NO_RATES,
  };
});
export type PumpFeeConfig = AccountOf<typeof readPumpFeeConfig>;

/** Rates of a curve or pool that pump.fun launched; null while the tiers that it needs are not set: the programs refuse it. */
export function launchedRates(config: PumpFeeConfig, quoteMint: string, marketCap: bigint): PumpRates | null {
  const tiers = tiersOf(config, quoteMint);
  if (tiers === null) return isUnset(config.exoticFlat) ? config.flat : config.exoticFlat;
  return (tiers.findLast(({ from }) => marketCap >= from) ?? tiers[0])?.rates ?? null;
}

/** The rates of `launchedRates` if they are the same at every market cap. */
export function ratesAtAnyCap(config: PumpFeeConfig, quoteMint: string): PumpRates | null {
  const rates = launchedRates(config, quoteMint, 0n);
  const same = (tier: PumpFeeTier): boolean =>
    tier.rates.lp === rates?.lp && tier.rates.protocol === rates.protocol && tier.rates.creator === rates.creator;
  return (tiersOf(config, quoteMint) ?? []).every(same) ? rates : null;
}

function tiersOf(config: PumpFeeConfig, quoteMint: string): readonly PumpFeeTier[] | null {
  if (SOL_QUOTES.has(quoteMint)) return config.tiers;
  return STABLE_QUOTES.has(quoteMint) ? config.stableTiers : null;
}

const isUnset = ({ lp, protocol, creator }: PumpRates): boolean => lp === 0n && protocol === 0n && creator === 0n;

function ratesAt(account: AccountData, at: number): PumpRates {
  return { lp: account.u64(at), protocol: account.u64(at + 8), creator: account.u64(at + 16) };
}

function tiersAt(account: AccountData, at: number): { tiers: PumpFeeTier[]; end: number } | null {
  if (at + 4 > account.data.length) return null;
  const end = at + 4 + account.u32(at) * TIER_BYTES;
  if (end > account.data.length) return null;
  const tiers: PumpFeeTier[] = [];
  for (let place = at + 4; place < end; place += TIER_BYTES) {
    tiers.push({ from: account.u128(place), rates: ratesAt(account, place + 16) });
  }
  return { tiers, end };
}
