import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import { stopAt, type TickStop } from '#libs/chain/amm/q64/tick-path.js';
import { MAX_TICK, MIN_TICK, whirlpoolPrices } from '#libs/chain/amm/q64/tick-price.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import type { RealCurve } from '#libs/chain/amm/real-curve.js';
import { orNull } from '#libs/chain/amm/refusal.js';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { SYSTEM_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import {
  type AdaptiveFeeOracle,
  readOracle,
  readTickArray,
  readWhirlpool,
  TICKS_PER_ARRAY,
  type TickArray,
  type Whirlpool,
} from './account.js';
import { AdaptiveFee, type SwapFee, staticFee } from './adaptive-fee.js';
import { orcaWhirlpool } from './decode.js';
import { curveThrough, swapThrough, Way } from './swap.js';

/** Arrays of ticks that the program follows in one swap, whatever else a transaction names. */
const ARRAYS_PER_SWAP = 3;

/** Orca Whirlpool: token A and B are the pool's own, a swap follows three arrays of ticks in its direction. */
export const orcaWhirlpoolPools = accountPools({
  venue: orcaWhirlpool.venue,
  program: orcaWhirlpool.program,
  account: readWhirlpool,
  identity: ({ mintA, mintB, vaultA, vaultB, feeRate, tickSpacing }) => ({
    ...{ mintA, mintB, vaultA, vaultB, feePpm: feeRate, spacing: tickSpacing },
  }),
  needs(pool, { address }) {
    const starts = new Set([...arrayStarts(pool, true), ...arrayStarts(pool, false)]);
    const wanted = [pool.vaultA, pool.vaultB, ...[...starts].map((start) => tickArrayAddress(address, start))];
    if (pool.adaptive) wanted.push(oracles.of(address));
    return wanted;
  },
  read(pool, { address, known }, at) {
    const vaultA = vaultBalance(known, pool.vaultA, pool.mintA);
    const vaultB = vaultBalance(known, pool.vaultB, pool.mintB);
    if (vaultA === null || vaultB === null || vaultA < pool.protocolFeeA || vaultB < pool.protocolFeeB) return null;
    const oracle = pool.adaptive ? oracleOf(address, known) : null;
    if (oracle === undefined || (oracle !== null && oracle.tradeEnableTime > at.unixTime)) return null;
    const down = pathOf(address, pool, known, true);
    const up = pathOf(address, pool, known, false);
    return down && up && new WhirlpoolState(pool, [vaultA, vaultB], oracle, new Way(down), new Way(up), at.unixTime);
  },
});

/**
 * First ticks of the arrays that a swap may follow from the pool's price on, nearest first: an instruction to swap names
 * these as its arrays of ticks. Just below the end of an array, a swap upwards begins in the next.
 */
export function arrayStarts(pool: Pick<Whirlpool, 'tick' | 'tickSpacing'>, aToB: boolean): number[] {
  const { tick, tickSpacing } = pool;
  const width = TICKS_PER_ARRAY * tickSpacing;
  const base = Math.floor(tick / width) * width;
  const first = !aToB && tick + tickSpacing >= base + width ? base + width : base;
  const starts: number[] = [];
  for (let i = 0; i < ARRAYS_PER_SWAP; i++) {
    const start = first + (aToB ? -i : i) * width;
    if (start + width > MIN_TICK && start <= MAX_TICK) starts.push(start);
  }
  return starts;
}

const tickArrays = new DerivedAddresses(orcaWhirlpool.program, 'tick_array');
const oracles = new DerivedAddresses(orcaWhirlpool.program, 'oracle');

export const oracleAddress = (pool: string): string => oracles.of(pool);

export const tickArrayAddress = (pool: string, start: number): string =>
  tickArrays.of(pool, Buffer.from(start.toString()));

/** Null while it does not exist, as the program takes it; undefined when it is not known or no oracle. */
function oracleOf(pool: string, known: KnownAccounts): AdaptiveFeeOracle | null | undefined {
  const account = known.get(oracles.of(pool));
  if (account === null) return null;
  if (account?.owner !== orcaWhirlpool.program) return undefined;
  return readOracle(account.data) ?? undefined;
}

/** An array that does not exist yet has no ticks; null when it is not known or no array. */
export function arrayAt(pool: string, start: number, known: KnownAccounts): TickArray | null {
  const account = known.get(tickArrayAddress(pool, start));
  if (account === undefined) return null;
  if (account === null || (account.owner === SYSTEM_PROGRAM && account.data.length === 0))
    return { start, places: [], liquidityNet: [], liquidityGross: [] };
  const array = account.owner === orcaWhirlpool.program ? readTickArray(account.data) : null;
  return array?.start === start ? array : null;
}

/** The initialized ticks that a swap meets, and the end of what its arrays cover. */
function pathOf(address: string, pool: Whirlpool, known: KnownAccounts, aToB: boolean): TickStop[] | null {
  const { tick, tickSpacing } = pool;
  const path: TickStop[] = [];
  const starts = arrayStarts(pool, aToB);
  for (const start of starts) {
    const array = arrayAt(address, start, known);
    if (array === null) return null;
    const { places, liquidityNet } = array;
    for (let n = 0; n < places.length; n++) {
      const i = aToB ? places.length - 1 - n : n;
      const at = start + places[i]! * tickSpacing;
      if (aToB ? at > tick : at <= tick) continue;
      if (at < MIN_TICK || at > MAX_TICK) return null;
      path.push(stopAt(whirlpoolPrices, at, liquidityNet[i]!));
    }
  }
  const last = starts.at(-1);
  if (last === undefined) return path;
  // Upwards, a swap that crosses the last tick of its last array leaves the array, which the program refuses.
  if (!aToB && path.at(-1)?.tick === last + (TICKS_PER_ARRAY - 1) * tickSpacing) return path;
  const end = aToB ? Math.max(last, MIN_TICK) : Math.min(last + TICKS_PER_ARRAY * tickSpacing - 1, MAX_TICK);
  if (path.at(-1)?.tick !== end) path.push(stopAt(whirlpoolPrices, end, 0n));
  return path;
}

class WhirlpoolState implements SolanaPoolState {
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  readonly spot: Ratio;

  constructor(
    private readonly pool: Whirlpool,
    private readonly vaults: readonly [bigint, bigint],
    private readonly oracle: AdaptiveFeeOracle | null,
    private readonly down: Way,
    private readonly up: Way,
    private readonly now: bigint,
  ) {
    this.reserveA = vaults[0] - pool.protocolFeeA;
    this.reserveB = vaults[1] - pool.protocolFeeB;
    this.spot = { numerator: pool.sqrtPrice * pool.sqrtPrice, denominator: 1n << 128n };
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
    const { pool, oracle, now } = this;
    return oracle === null ? staticFee(pool.feeRate) : new AdaptiveFee(oracle, pool.feeRate, aToB, pool.tick, now);
  }

  private swap(aToB: boolean, amount: bigint, exactIn: boolean): CurveSwap | null {
    return orNull(() => {
      const way = aToB ? this.down : this.up;
      const swap = swapThrough(this.pool, way, () => this.fee(aToB), amount, exactIn, aToB);
      const vault = this.vaults[aToB ? 1 : 0];
      return swap.amountOut === 0n || swap.amountOut > vault ? null : { ...swap, feeSide: 'input' };
    });
  }
}
