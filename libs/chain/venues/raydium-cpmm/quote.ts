import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import { ceilDiv } from '#libs/chain/amm/q64-math.js';
import {
  type FeeRate,
  type FeeSwap,
  NO_FEE,
  roundedProductCurve,
  swapExactIn,
  swapExactOut,
} from '#libs/chain/amm/solana-constant-product.js';
import { readOwned } from '#libs/chain/chains/solana/accounts.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { type CpmmConfig, type CpmmPool, readCpmmConfig, readCpmmPool } from './account.js';

const PROGRAM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const PPM = 1_000_000n;

/**
 * Raydium CPMM: a constant product of the vaults less the fees that others have yet to collect. The trade fee is taken from
 * the input; the creator's fee together with it, rounded up once, or from the output, as the pool says. Protocol and fund
 * get their parts of the trade fee, which change no amount.
 */
export const raydiumCpmmPools = accountPools({
  venue: 'raydium-cpmm',
  program: PROGRAM,
  account: readCpmmPool,
  identity: ({ mint0, mint1, vault0, vault1 }) => ({ mintA: mint0, mintB: mint1, vaultA: vault0, vaultB: vault1 }),
  needs: ({ config, vault0, vault1 }) => [config, vault0, vault1],
  read(pool, { known }, at) {
    if (pool.swapDisabled || at.unixTime < pool.openTime) return null;
    const config = readOwned(known, pool.config, PROGRAM, readCpmmConfig);
    const held0 = vaultBalance(known, pool.vault0, pool.mint0);
    const held1 = vaultBalance(known, pool.vault1, pool.mint1);
    if (config === null || held0 === null || held1 === null || held0 <= pool.owed0 || held1 <= pool.owed1) return null;
    return stateOf(held0 - pool.owed0, held1 - pool.owed1, pool, config);
  },
});

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
