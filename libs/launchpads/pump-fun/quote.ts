import type { CurveSwap } from '#libs/amm/curve-swap.js';
import { buyFor, leastBuy, leastSell, type PumpCurve, type PumpRates, pumpFees, sell } from '#libs/amm/pump-swap.js';
import { isAmount } from '#libs/amm/solana-constant-product.js';
import type { KnownAccounts } from '#libs/chains/solana/accounts.js';
import { WRAPPED_SOL } from '#libs/chains/solana/programs.js';
import type { SolanaPoolState, SolanaPoolVenue } from '#libs/market-ports/solana/pool-quotes.js';
import {
  launchedRates,
  PUMP_FEE_PROGRAM,
  type PumpFeeConfig,
  ratesAtAnyCap,
  readPumpFeeConfig,
} from '#libs/market-ports/solana/pump-fees.js';
import { NO_KEY, type PumpCurveAccount, type PumpGlobal, readPumpCurve, readPumpGlobal } from './account.js';

const PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
/** Derived by the programs from constant seeds. */
export const PUMP_GLOBAL = '4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf';
export const PUMP_FEES = '8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt';
/** Supply that the market cap of every coin but mayhem ones is computed from. */
const SUPPLY = 1_000_000_000_000_000n;

/** A curve's state, with the instruction that buys a given number of tokens. */
export interface PumpFunState extends SolanaPoolState {
  /** Costs a few units less than `exactOut`, which is about the instruction that spends a given quote. */
  buyExactTokens(amountOut: bigint): CurveSwap | null;
}

/**
 * pump.fun's curves, tokens as A and quote as B. Fees are paid in quote: on top of what the curve takes in, or out of
 * what it gives. The account names no token: the identity's token is empty, and the quote of a mayhem coin, whose
 * market cap counts its mint's supply, needs rates that are the same at every market cap.
 */
export const pumpFunCurves = {
  venue: 'pump-fun',
  program: PROGRAM,
  identity(data) {
    const curve = readPumpCurve(data);
    if (curve === null) return null;
    const mintB = curve.quoteMint === NO_KEY ? WRAPPED_SOL : curve.quoteMint;
    return { mintA: '', mintB, vaultA: '', vaultB: '', feePpm: 0, spacing: 0 };
  },
  needs: (address, known) => (curveAt(address, known) === null ? [] : [PUMP_GLOBAL, PUMP_FEES]),
  read(address, known): PumpFunState | null {
    const curve = curveAt(address, known);
    const global = dataOf(known, PUMP_GLOBAL, PROGRAM, readPumpGlobal);
    const fees = dataOf(known, PUMP_FEES, PUMP_FEE_PROGRAM, readPumpFeeConfig);
    if (curve === null || global === null || fees === null) return null;
    if (curve.complete || curve.virtualTokens === 0n || curve.virtualQuote === 0n) return null;
    const rates = ratesOf(curve, global, fees);
    return rates && stateOf(curve, rates);
  },
} satisfies SolanaPoolVenue;

function dataOf<T>(known: KnownAccounts, address: string, owner: string, read: (data: Uint8Array) => T): T | null {
  const account = known.get(address);
  return account && account.owner === owner ? read(account.data) : null;
}

const curveAt = (address: string, known: KnownAccounts): PumpCurveAccount | null =>
  dataOf(known, address, PROGRAM, readPumpCurve);

function ratesOf(curve: PumpCurveAccount, global: PumpGlobal, fees: PumpFeeConfig): PumpRates | null {
  const marketCap = (curve.virtualQuote * SUPPLY) / curve.virtualTokens;
  const rates = curve.mayhem ? ratesAtAnyCap(fees, curve.quoteMint) : launchedRates(fees, curve.quoteMint, marketCap);
  if (rates === null) return null;
  const creator = global.creatorRates && curve.creatorRate > 0n ? curve.creatorRate : rates.creator;
  // A curve has no liquidity providers.
  return { lp: 0n, protocol: rates.protocol, creator: curve.creator === NO_KEY ? 0n : creator };
}

function stateOf(account: PumpCurveAccount, rates: PumpRates): PumpFunState {
  const { virtualTokens: base, virtualQuote: quote, realTokens: baseLeft, realQuote: quoteLeft } = account;
  const curve: PumpCurve = { base, quote, baseLeft, quoteLeft, rates };
  return {
    reserveA: baseLeft,
    reserveB: quoteLeft,
    spot: { numerator: quote, denominator: base },
    exactIn: (sells, amountIn) => (sells ? sell(curve, amountIn) : buyFor(curve, amountIn)),
    exactOut: (sells, amountOut) => (sells ? leastSell(curve, amountOut) : leastBuy(curve, amountOut)),
    buyExactTokens(amountOut) {
      if (!isAmount(amountOut) || amountOut > baseLeft || amountOut >= base) return null;
      const net = (quote * amountOut) / (base - amountOut) + 1n;
      const fee = pumpFees(net, rates);
      return { amountIn: net + fee, amountOut, fee, feeSide: 'input' };
    },
  };
}
