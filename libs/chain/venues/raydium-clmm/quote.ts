import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import { clmmPrices, MAX_TICK, MIN_TICK } from '#libs/chain/amm/q64/tick-price.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import type { RealCurve } from '#libs/chain/amm/real-curve.js';
import { orNull } from '#libs/chain/amm/refusal.js';
import { type ChainMoment, type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import {
  type ClmmConfig,
  type ClmmPool,
  readClmmConfig,
  readClmmPool,
  readExtension,
  readTickArray,
} from './account.js';
import { type ArraysAhead, arraysAhead, arrayWidth } from './array-bitmap.js';
import { raydiumClmm } from './decode.js';
import { DynamicFee, fixedFee, MAX_RATE, type SwapFee } from './dynamic-fee.js';
import { type ClmmStop, curveThrough, isFeeOnInput, swapThrough, Way } from './swap.js';

/**
 * Arrays of ticks that a quote follows in each direction. The program follows as many as a transaction names; these and
 * the rest of a swap's accounts still fit into a route with other legs.
 */
export const ARRAYS_PER_SWAP = 5;

const U64_MAX = (1n << 64n) - 1n;
const FEE_UNIT = 1_000_000n;

/** Raydium CLMM: token A and B are the program's token 0 and 1. */
export const raydiumClmmPools = accountPools({
  venue: raydiumClmm.venue,
  program: raydiumClmm.program,
  account: readClmmPool,
  identity: ({ mintA, mintB, vaultA, vaultB, tickSpacing }) => ({ mintA, mintB, vaultA, vaultB, spacing: tickSpacing }),
  needs(pool, { address, known }) {
    const extension = extensionAddress(address);
    const ahead = [true, false].map((aToB) => aheadOf(address, pool, known, aToB));
    const starts = new Set(ahead.flatMap(({ numbers }) => numbers.map((each) => each * arrayWidth(pool.tickSpacing))));
    const wanted = [pool.config, pool.vaultA, pool.vaultB];
    if (ahead.some(({ beyond }) => beyond)) wanted.push(extension);
    return [...wanted, ...[...starts].map((start) => tickArrayAddress(address, start))];
  },
  read(pool, { address, known }, at) {
    if (!pool.swapEnabled || at.unixTime <= pool.openTime) return null;
    const config = readOwned(known, pool.config, raydiumClmm.program, readClmmConfig);
    const vaultA = vaultBalance(known, pool.vaultA, pool.mintA);
    const vaultB = vaultBalance(known, pool.vaultB, pool.mintB);
    if (config === null || vaultA === null || vaultB === null || vaultA < pool.owedA || vaultB < pool.owedB)
      return null;
    const down = pathOf(address, pool, known, true);
    const up = pathOf(address, pool, known, false);
    if (down === null || up === null) return null;
    const mostOutput = outputBeforeFee(pool.dynamicFee === null ? config.tradeFeeRate : MAX_RATE);
    return new ClmmState(pool, config, [vaultA, vaultB], new Way(down, mostOutput), new Way(up, mostOutput), at);
  },
});

/** The largest output that fits 64 bits with a fee on top, in parts per million. */
const outputBeforeFee = (rate: number): bigint => (U64_MAX * (FEE_UNIT - BigInt(rate))) / FEE_UNIT;

const tickArrays = new DerivedAddresses(raydiumClmm.program, 'tick_array');
const extensions = new DerivedAddresses(raydiumClmm.program, 'pool_tick_array_bitmap_extension');

/** Address of the bitmap's extension, which an instruction to swap names before the arrays of ticks. */
export const extensionAddress = (pool: string): string => extensions.of(pool);

export function tickArrayAddress(pool: string, start: number): string {
  const seed = Buffer.alloc(4);
  seed.writeInt32BE(start);
  return tickArrays.of(pool, seed);
}

/** First ticks of the arrays that a swap may follow, nearest first: an instruction to swap names these. */
export const arrayStarts = (address: string, pool: ClmmPool, known: KnownAccounts, aToB: boolean): number[] =>
  aheadOf(address, pool, known, aToB).numbers.map((each) => each * arrayWidth(pool.tickSpacing));

function aheadOf(address: string, pool: ClmmPool, known: KnownAccounts, aToB: boolean): ArraysAhead {
  const extension = readOwned(known, extensionAddress(address), raydiumClmm.program, readExtension);
  return arraysAhead({ own: pool.bitmap, extension }, pool.tick, pool.tickSpacing, aToB, ARRAYS_PER_SWAP);
}

/** The initialized ticks that a swap meets; null when an array is not known or none. */
function pathOf(address: string, pool: ClmmPool, known: KnownAccounts, aToB: boolean): ClmmStop[] | null {
  const { numbers, beyond } = aheadOf(address, pool, known, aToB);
  if (beyond && known.get(extensionAddress(address)) === undefined) return null;
  const path: ClmmStop[] = [];
  for (const number of numbers) {
    const start = number * arrayWidth(pool.tickSpacing);
    const account = known.get(tickArrayAddress(address, start));
    const array = account?.owner === raydiumClmm.program ? readTickArray(account.data, pool.tickSpacing) : null;
    if (array?.start !== start) return null;
    const ticks = aToB ? array.ticks.toReversed() : array.ticks;
    for (const { tick, liquidityNet, hasLiquidity, orders } of ticks) {
      if (aToB ? tick > pool.tick : tick <= pool.tick) continue;
      if (tick < MIN_TICK || tick > MAX_TICK) return null;
      path.push({ tick, sqrtPrice: clmmPrices.at(tick), liquidityNet: hasLiquidity ? liquidityNet : 0n, orders });
    }
  }
  return path;
}

class ClmmState implements SolanaPoolState {
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  readonly spot: Ratio;
  /** The program keeps 32 bits of the clock. */
  private readonly now: bigint;

  constructor(
    private readonly pool: ClmmPool,
    private readonly config: ClmmConfig,
    private readonly vaults: readonly [bigint, bigint],
    private readonly down: Way,
    private readonly up: Way,
    at: ChainMoment,
  ) {
    this.reserveA = vaults[0] - pool.owedA;
    this.reserveB = vaults[1] - pool.owedB;
    this.spot = { numerator: pool.sqrtPrice * pool.sqrtPrice, denominator: 1n << 128n };
    this.now = BigInt.asUintN(32, at.unixTime);
  }

  exactIn(aToB: boolean, amountIn: bigint): CurveSwap | null {
    return this.swap(aToB, amountIn, true);
  }

  exactOut(aToB: boolean, amountOut: bigint): CurveSwap | null {
    return this.swap(aToB, amountOut, false);
  }

  curve(aToB: boolean): RealCurve | null {
    return orNull(() => curveThrough(this.pool, aToB ? this.down : this.up, this.fee(aToB), aToB));
  }

  private fee(aToB: boolean): SwapFee {
    const { pool, config, now } = this;
    return pool.dynamicFee === null
      ? fixedFee(config.tradeFeeRate)
      : new DynamicFee(pool.dynamicFee, config.tradeFeeRate, pool.tickSpacing, aToB, pool.tick, now);
  }

  private swap(aToB: boolean, amount: bigint, exactIn: boolean): CurveSwap | null {
    const { pool } = this;
    return orNull(() => {
      const way = aToB ? this.down : this.up;
      const swap = swapThrough(pool, way, () => this.fee(aToB), amount, exactIn, aToB);
      const vault = this.vaults[aToB ? 1 : 0];
      if (swap.amountOut === 0n || swap.amountIn === 0n || swap.amountOut > vault!) return null;
      return { ...swap, feeSide: isFeeOnInput(pool, aToB) ? 'input' : 'output' };
    });
  }
}
