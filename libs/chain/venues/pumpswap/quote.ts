import { buyFor, type PumpCurve, type PumpRates, pumpFees, sell } from '#libs/chain/amm/pump-swap.js';
import { ceilDiv } from '#libs/chain/amm/q64-math.js';
import { isU64Amount } from '#libs/chain/amm/solana-constant-product.js';
import { readOwned } from '#libs/chain/chains/solana/accounts.js';
import { DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { mintSupply, vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import {
  launchedRates,
  PUMP_FEE_PROGRAM,
  type PumpFeeConfig,
  readPumpFeeConfig,
} from '#libs/chain/market-ports/solana/pump-fees.js';
import { type PumpSwapConfig, type PumpSwapPool, readPumpSwapConfig, readPumpSwapPool } from './account.js';

const PROGRAM = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA';
const LAUNCHPAD = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
/** Derived by the programs from constant seeds. */
export const PUMPSWAP_CONFIG = 'ADyA8hdefvWN2dbGGWFotbzWxrAvLW83WG6QCVXvJKqw';
export const PUMPSWAP_FEES = '5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx';
const NO_KEY = '11111111111111111111111111111111';
/** Supply that the market cap of mayhem coins is computed from. */
const MAYHEM_SUPPLY = 1_000_000_000_000_000n;

/**
 * PumpSwap, base as A and quote as B. Fees are paid in quote; those of the liquidity providers stay in the pool. A pool
 * that pump.fun made pays rates by its market cap, any other pool the flat ones. No instruction sells for an exact quote.
 */
export const pumpSwapPools = accountPools({
  venue: 'pumpswap',
  program: PROGRAM,
  account: readPumpSwapPool,
  identity: ({ baseMint, quoteMint, baseVault, quoteVault }) => ({
    ...{ mintA: baseMint, mintB: quoteMint, vaultA: baseVault, vaultB: quoteVault },
  }),
  needs: ({ baseMint, baseVault, quoteVault }) => [PUMPSWAP_CONFIG, PUMPSWAP_FEES, baseMint, baseVault, quoteVault],
  read(pool, { known }) {
    const config = readOwned(known, PUMPSWAP_CONFIG, PROGRAM, readPumpSwapConfig);
    const fees = readOwned(known, PUMPSWAP_FEES, PUMP_FEE_PROGRAM, readPumpFeeConfig);
    if (config === null || fees === null) return null;
    const base = vaultBalance(known, pool.baseVault, pool.baseMint);
    const held = vaultBalance(known, pool.quoteVault, pool.quoteMint);
    const supply = pool.mayhem ? MAYHEM_SUPPLY : mintSupply(known, pool.baseMint);
    if (!base || !held || supply === null) return null;
    const quote = held + pool.virtualQuote;
    const rates = quote <= 0n ? null : ratesOf(pool, config, fees, (quote * supply) / base);
    return rates && stateOf({ base, quote, baseLeft: base - 1n, quoteLeft: held - pool.unswept, rates }, config);
  },
});

function ratesOf(pool: PumpSwapPool, config: PumpSwapConfig, fees: PumpFeeConfig, marketCap: bigint): PumpRates | null {
  const rates = isLaunched(pool) ? launchedRates(fees, pool.quoteMint, marketCap) : fees.flat;
  if (rates === null) return null;
  const creator = config.creatorRates && pool.creatorRate > 0n ? pool.creatorRate : rates.creator;
  return { ...rates, creator: pool.coinCreator === NO_KEY ? 0n : creator };
}

/** Whether pump.fun made the pool when its curve was complete. */
function isLaunched({ creator, baseMint }: PumpSwapPool): boolean {
  return authorities.of(baseMint) === creator;
}

const authorities = new DerivedAddresses(LAUNCHPAD, 'pool-authority');

function stateOf(curve: PumpCurve, { buysDisabled, sellsDisabled }: PumpSwapConfig): SolanaPoolState {
  const off = (sells: boolean): boolean => (sells ? sellsDisabled : buysDisabled);
  return {
    reserveA: curve.base,
    reserveB: curve.quoteLeft,
    spot: { numerator: curve.quote, denominator: curve.base },
    exactIn: (sells, amountIn) => (off(sells) ? null : sells ? sell(curve, amountIn) : buyFor(curve, amountIn)),
    exactOut(sells, amountOut) {
      if (sells || buysDisabled || !isU64Amount(amountOut) || amountOut > curve.baseLeft) return null;
      const net = ceilDiv(curve.quote * amountOut, curve.base - amountOut);
      const fee = pumpFees(net, curve.rates);
      return { amountIn: net + fee, amountOut, fee, feeSide: 'input' };
    },
  };
}
