import { BillionthFeePool, type FeeOf } from '#libs/chain/amm/billionth-fee-pool.js';
import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import { u64 } from '#libs/chain/amm/refusal.js';
import { type ChainMoment, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { type DbcConfig, type DbcPool, readDbcConfig, readDbcPool } from './account.js';
import { buyExactIn, buyExactOut, sellExactIn, sellExactOut } from './curve.js';
import { meteoraDbc } from './decode.js';
import { feeGrows, feeRate } from './fee.js';

const ACTIVATION_BY_SLOT = 0;
const FEE_ON_QUOTE = 0;
const FEE_ON_OUTPUT = 1;

/**
 * Meteora's bonding curve: token A is the base token, token B the quote token. A pool's own account names neither the quote
 * token nor the fee: `mintB` of the identity is empty and its fee 0; `quoteMint` reads the token from the config.
 */
export const meteoraDbcPools = accountPools({
  venue: meteoraDbc.venue,
  program: meteoraDbc.program,
  account: readDbcPool,
  identity: ({ baseMint, baseVault, quoteVault }) => ({
    ...{ mintA: baseMint, mintB: '', vaultA: baseVault, vaultB: quoteVault },
  }),
  needs: ({ config }) => [config],
  read(pool, { known }, at) {
    const config = readOwned(known, pool.config, meteoraDbc.program, readDbcConfig);
    if (config === null || pool.quoteReserve >= config.migrationQuoteThreshold || pool.sqrtPrice === 0n) return null;
    if (config.collectFeeMode > FEE_ON_OUTPUT) return null;
    return new DbcState(pool, config, pointOf(config, at));
  },
});

/** Mint of the quote token, from the data of a pool's config; null when they are none. */
export const quoteMint = (config: Uint8Array): string | null => readDbcConfig(config)?.quoteMint ?? null;

const pointOf = ({ activationType }: DbcConfig, at: ChainMoment): bigint =>
  activationType === ACTIVATION_BY_SLOT ? at.slot : at.unixTime;

class DbcState extends BillionthFeePool implements SolanaPoolState {
  constructor(
    private readonly pool: DbcPool,
    private readonly config: DbcConfig,
    private readonly point: bigint,
  ) {
    super();
  }

  get reserveA(): bigint {
    return this.pool.baseReserve;
  }

  get reserveB(): bigint {
    return this.pool.quoteReserve;
  }

  get spot(): Ratio {
    return { numerator: this.pool.sqrtPrice * this.pool.sqrtPrice, denominator: 1n << 128n };
  }

  get feeGrows(): boolean {
    return feeGrows(this.config);
  }

  protected outputFor(sell: boolean, input: bigint): bigint {
    return (sell ? sellExactIn : buyExactIn)(this.config, this.pool.sqrtPrice, input);
  }

  protected inputFor(sell: boolean, output: bigint): bigint {
    return (sell ? sellExactOut : buyExactOut)(this.config, this.pool.sqrtPrice, output);
  }

  protected feeOnInput(sell: boolean): boolean {
    return this.config.collectFeeMode === FEE_ON_QUOTE && !sell;
  }

  protected rate(sell: boolean, of: FeeOf): bigint {
    return feeRate(this.pool, this.config, this.point, sell, of);
  }

  /**
   * The program keeps both reserves in u64, and a swap that completes the curve has to leave the base tokens that the
   * migration and the vesting need. A swap without output is none.
   */
  protected settled(sell: boolean, swap: CurveSwap): CurveSwap | null {
    const { pool, config } = this;
    const moved = swap.amountIn - (swap.feeSide === 'input' ? swap.fee : 0n);
    const paid = swap.amountOut + (swap.feeSide === 'output' ? swap.fee : 0n);
    const base = u64(sell ? pool.baseReserve + moved : pool.baseReserve - paid);
    const quote = u64(sell ? pool.quoteReserve - paid : pool.quoteReserve + moved);
    const completes = quote >= config.migrationQuoteThreshold;
    if (completes && base < config.migrationBaseThreshold + config.vested) return null;
    return swap.amountOut === 0n || swap.amountIn === 0n ? null : swap;
  }
}
