import { buyFor, type PumpCurve, type PumpRates, pumpFees, sell } from '#libs/chain/amm/pump-swap.js';
import { isU64Amount } from '#libs/chain/amm/solana-constant-product.js';
import { readOwned } from '#libs/chain/chains/solana/accounts.js';
import { DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { mintSupply } from '#libs/chain/chains/solana/token-account.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import {
  launchedRates,
  PUMP_FEE_PROGRAM,
  type PumpFeeConfig,
  ratesAtAnyCap,
  readPumpFeeConfig,
} from '#libs/chain/market-ports/solana/pump-fees.js';
import { NO_KEY, type PumpCurveAccount, type PumpGlobal, readPumpCurve, readPumpGlobal } from './account.js';

const PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
/** Derived by the programs from constant seeds. */
export const PUMP_GLOBAL = '4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf';
export const PUMP_FEES = '8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt';
const curves = new DerivedAddresses(PROGRAM, 'bonding-curve');

/**
 * pump.fun's curves, tokens as A and quote as B. Fees are paid in quote: on top of what the curve takes in, or out of
 * what it gives. The account names no token: it is the one of the given mints that the curve's address is derived from. Fees may
 * follow the market cap, which counts the supply of the mint; without it a curve is quoted at rates that are the same at every
 * one. A complete curve is not quoted, nor one that gives fees back: the instructions that routes use refuse both, and none of them
 * sells for an exact quote. No more is bought than the curve has left.
 */
export const pumpFunCurves = accountPools({
  venue: 'pump-fun',
  program: PROGRAM,
  account: readPumpCurve,
  identity: (curve) => ({ mintA: '', mintB: quoteOf(curve), vaultA: '', vaultB: '' }),
  needs(_, { address, mints }) {
    const token = launchedTokenOf(address, mints);
    return [PUMP_GLOBAL, PUMP_FEES, ...(token === null ? [] : [token])];
  },
  read(curve, { address, known, mints }) {
    const global = readOwned(known, PUMP_GLOBAL, PROGRAM, readPumpGlobal);
    const fees = readOwned(known, PUMP_FEES, PUMP_FEE_PROGRAM, readPumpFeeConfig);
    if (global === null || fees === null) return null;
    if (curve.complete || curve.cashback || curve.virtualTokens === 0n || curve.virtualQuote === 0n) return null;
    const token = launchedTokenOf(address, mints);
    const supply = curve.mayhem ? curve.tokenSupply : token === null ? null : mintSupply(known, token);
    if (token !== null && supply === null) return null;
    const rates = ratesOf(curve, global, fees, supply);
    return rates && stateOf(curve, rates);
  },
});

/** Which of the mints the curve sells; null when it is none of them. */
export const launchedTokenOf = (address: string, mints: readonly string[]): string | null =>
  mints.find((mint) => curves.of(mint) === address) ?? null;

/** SOL itself is traded under the mint of wrapped coins. */
export const quoteOf = ({ quoteMint }: PumpCurveAccount): string => (quoteMint === NO_KEY ? WRAPPED_SOL : quoteMint);

function ratesOf(
  curve: PumpCurveAccount,
  global: PumpGlobal,
  fees: PumpFeeConfig,
  supply: bigint | null,
): PumpRates | null {
  const { quoteMint, virtualQuote, virtualTokens } = curve;
  const rates =
    supply === null
      ? ratesAtAnyCap(fees, quoteMint)
      : launchedRates(fees, quoteMint, (virtualQuote * supply) / virtualTokens);
  if (rates === null) return null;
  const creator = global.creatorRates && curve.creatorRate > 0n ? curve.creatorRate : rates.creator;
  // A curve has no liquidity providers.
  return { lp: 0n, protocol: rates.protocol, creator: curve.creator === NO_KEY ? 0n : creator };
}

function stateOf(account: PumpCurveAccount, rates: PumpRates): SolanaPoolState {
  const { virtualTokens: base, virtualQuote: quote, realTokens: baseLeft, realQuote: quoteLeft } = account;
  const curve: PumpCurve = { base, quote, baseLeft, quoteLeft, rates };
  return {
    reserveA: baseLeft,
    reserveB: quoteLeft,
    spot: { numerator: quote, denominator: base },
    exactIn: (sells, amountIn) => (sells ? sell(curve, amountIn) : buyFor(curve, amountIn)),
    exactOut(sells, amountOut) {
      if (sells || !isU64Amount(amountOut) || amountOut > baseLeft || amountOut >= base) return null;
      const net = (quote * amountOut) / (base - amountOut) + 1n;
      const fee = pumpFees(net, rates);
      return { amountIn: net + fee, amountOut, fee, feeSide: 'input' };
    },
  };
}
