import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import {
  ceilDiv,
  type FeeRate,
  type FeeSwap,
  NO_FEE,
  roundedProductCurve,
  swapExactIn,
  swapExactOut,
} from '#libs/chain/amm/solana-constant-product.js';
import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import type { SolanaPoolState, SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { type CpmmConfig, type CpmmPool, readCpmmConfig, readCpmmPool } from './account.js';

const PROGRAM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const PPM = 1_000_000n;

/**
 * Raydium CPMM: a constant product of the vaults less the fees that others have yet to collect. The trade fee is taken from
 * the input; the creator's fee together with it, rounded up once, or from the output, as the pool says. Protocol and fund
 * get their parts of the trade fee, which change no amount.
 */
export const raydiumCpmmPools: SolanaPoolVenue = {
  venue: 'raydium-cpmm',
  program: PROGRAM,
  identity(data) {
    const pool = readCpmmPool(data);
    if (pool === null) return null;
    const { mint0, mint1, vault0, vault1 } = pool;
    return { mintA: mint0, mintB: mint1, vaultA: vault0, vaultB: vault1, feePpm: 0, spacing: 0 };
  },
  needs(address, known) {
    const pool = poolAt(address, known);
    return pool === null ? [] : [pool.config, pool.vault0, pool.vault1];
  },
  read(address, known, at) {
    const pool = poolAt(address, known);
    if (pool === null || pool.swapDisabled || at.unixTime < pool.openTime) return null;
    const config = readOwned(known, pool.config, PROGRAM, readCpmmConfig);
    const held0 = vaultBalance(known, pool.vault0, pool.mint0);
    const held1 = vaultBalance(known, pool.vault1, pool.mint1);
    if (config === null || held0 === null || held1 === null || held0 <= pool.owed0 || held1 <= pool.owed1) return null;
    return stateOf(held0 - pool.owed0, held1 - pool.owed1, pool, config);
  },
};

const poolAt = (address: string, known: KnownAccounts): CpmmPool | null =>
  readOwned(known, address, PROGRAM, readCpmmPool);

function stateOf(reserveA: bigint, reserveB: bigint, pool: CpmmPool, config: CpmmConfig): SolanaPoolState {
  const curves = [roundedProductCurve(reserveB, reserveA), roundedProductCurve(reserveA, reserveB)] as const;
  const curve = (aToB: boolean) => curves[aToB ? 1 : 0];
  const creator = pool.creatorFeeEnabled ? config.creatorFeeRate : 0n;
  const ppm = (numerator: bigint): FeeRate => ({ numerator, denominator: PPM });
  const both = [ppm(config.tradeFeeRate + creator), NO_FEE] as const;
  const apart = [ppm(config.tradeFeeRate), ppm(creator)] as const;
  const rates = (aToB: boolean) =>
    pool.creatorFeeOn === 'input' || (pool.creatorFeeOn === 'token0') === aToB ? both : apart;
  return {
    reserveA,
    reserveB,
    spot: { numerator: reserveB, denominator: reserveA },
    exactIn: (aToB, amountIn) => answer(swapExactIn(curve(aToB), ...rates(aToB), amountIn)),
    exactOut: (aToB, amountOut) => answer(swapExactOut(curve(aToB), ...rates(aToB), amountOut)),
  };
}

/** A fee on the output counts as the part of the input that paid for it. */
function answer(swap: FeeSwap | null): CurveSwap | null {
  if (swap === null) return null;
  const { amountIn, amountOut, feeIn, feeOut } = swap;
  const fee = feeIn + (feeOut === 0n ? 0n : ceilDiv((amountIn - feeIn) * feeOut, amountOut + feeOut));
  return { amountIn, amountOut, fee, feeSide: 'input' };
}
