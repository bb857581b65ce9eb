import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import {
  type FeeRate,
  type FeeSwap,
  NO_FEE,
  swapExactIn,
  swapExactOut,
} from '#libs/chain/amm/solana-constant-product.js';
import { readOwned } from '#libs/chain/chains/solana/accounts.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import {
  type LaunchlabCurveKind,
  type LaunchlabPool,
  readLaunchlabConfig,
  readLaunchlabPlatform,
  readLaunchlabPool,
} from './account.js';
import { launchlabCurve, launchlabSpot } from './curve.js';

const PROGRAM = 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj';
const PPM = 1_000_000n;

/**
 * Raydium LaunchLab, tokens as A and quote as B. Protocol, platform and creator take one fee in quote, rounded up once,
 * from what a buy brings and a sell gets; a trader who names no account to share with pays no share fee. A buy of more
 * than is left is not taken whole.
 */
export const raydiumLaunchlabCurves = accountPools({
  venue: 'raydium-launchlab',
  program: PROGRAM,
  account: readLaunchlabPool,
  identity: ({ baseMint, quoteMint, baseVault, quoteVault }) => ({
    ...{ mintA: baseMint, mintB: quoteMint, vaultA: baseVault, vaultB: quoteVault },
  }),
  needs: ({ config, platform }) => [config, platform],
  read(pool, { known }) {
    const config = readOwned(known, pool.config, PROGRAM, readLaunchlabConfig);
    const platform = readOwned(known, pool.platform, PROGRAM, readLaunchlabPlatform);
    if (config === null || platform === null || !pool.raising) return null;
    const fee = { numerator: config.protocolRate + platform.platformRate + platform.creatorRate, denominator: PPM };
    return isSound(pool, config.curve) && fee.numerator < PPM ? stateOf(pool, config.curve, fee) : null;
  },
});

/** Reserves that the curve's formulas hold for. */
function isSound(pool: LaunchlabPool, kind: LaunchlabCurveKind): boolean {
  if (pool.virtualBase === 0n || pool.realBase > pool.totalBaseSell) return false;
  if (kind === 'linear') return true;
  return pool.virtualQuote > 0n && (kind === 'fixed' || pool.virtualBase > pool.realBase);
}

function stateOf(pool: LaunchlabPool, kind: LaunchlabCurveKind, fee: FeeRate): SolanaPoolState {
  const left = pool.totalBaseSell - pool.realBase;
  const buys = launchlabCurve(kind, pool, false);
  const sells = launchlabCurve(kind, pool, true);
  // More than is left is not sold: the input is taken whole where it is just what the rest costs.
  const capped = (swap: FeeSwap): FeeSwap | null => {
    const rest = swap.amountOut > left ? swapExactOut(buys, fee, NO_FEE, left) : swap;
    return rest?.amountIn === swap.amountIn ? rest : null;
  };
  const bought = (asked: FeeSwap | null): CurveSwap | null => {
    const swap = asked && capped(asked);
    return swap && { amountIn: swap.amountIn, amountOut: swap.amountOut, fee: swap.feeIn, feeSide: 'input' };
  };
  const sold = (swap: FeeSwap | null): CurveSwap | null => {
    if (swap === null || swap.amountIn > pool.realBase || swap.amountOut + swap.feeOut > pool.realQuote) return null;
    return { amountIn: swap.amountIn, amountOut: swap.amountOut, fee: swap.feeOut, feeSide: 'output' };
  };
  return {
    reserveA: left,
    reserveB: pool.realQuote,
    spot: launchlabSpot(kind, pool) ?? { numerator: 0n, denominator: 1n },
    exactIn: (aToB, amountIn) =>
      aToB ? sold(swapExactIn(sells, NO_FEE, fee, amountIn)) : bought(swapExactIn(buys, fee, NO_FEE, amountIn)),
    exactOut: (aToB, amountOut) => {
      if (aToB) return sold(swapExactOut(sells, NO_FEE, fee, amountOut));
      return amountOut > left ? null : bought(swapExactOut(buys, fee, NO_FEE, amountOut));
    },
  };
}
