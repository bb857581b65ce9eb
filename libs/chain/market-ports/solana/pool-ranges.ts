import type { Ratio } from '#libs/chain/amm/ratio.js';
import { sqrtPriceX96 } from '#libs/chain/amm/ratio.js';
import { tickOfPrice } from '#libs/chain/amm/tick-of-price.js';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import type { TickRecord } from '#libs/protocol/blocks.js';

/** How a venue reads from accounts where the liquidity of its pools is. */
export interface SolanaPoolRanges {
  /** The accounts that it takes besides the pool's own, at most so many, given those known so far; asked again with the answers. */
  needs(pool: string, known: KnownAccounts, most: number): readonly string[];
  /** Null when an account is missing, does not parse, or does not agree with the others. */
  read(pool: string, known: KnownAccounts, most: number): PoolRanges | null;
}

/** In the program's own order of tokens. */
export interface PoolRanges {
  /** What the vaults hold. */
  readonly vaultA: string;
  readonly heldA: bigint;
  readonly heldB: bigint;
  /** Root of raw units of B for one of A. */
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  /** Ranges; of bins what is within half and twice the price. */
  readonly liquidity:
    | { readonly active: bigint; readonly ticks: readonly TickRecord[] }
    | { readonly nearA: bigint; readonly nearB: bigint };
}

/** What was read of a pool with ticks: all those from `low` to `high`; null on a side where there are no others. */
interface ReadTicks {
  /** Root of the price, Q64.64. */
  readonly sqrtPrice: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  /** Ascending. */
  readonly ticks: readonly TickRecord[];
  readonly low: number | null;
  readonly high: number | null;
}

const ONE_Q128 = 1n << 128n;

const q64Spot = (sqrtPrice: bigint): Ratio => ({ numerator: sqrtPrice * sqrtPrice, denominator: ONE_Q128 });

/**
 * The ranges of a pool. Where not all of its ticks were read the liquidity ends at the last of them: what is further is not
 * counted. Null where the ticks do not add up to the active liquidity.
 */
export function rangesOf({
  sqrtPrice,
  tick,
  liquidity,
  ticks,
  low,
  high,
}: ReadTicks): Pick<PoolRanges, 'sqrtPriceX96' | 'tick' | 'liquidity'> | null {
  const price = sqrtPriceX96(q64Spot(sqrtPrice));
  if (price === null) return null;
  const sum = (some: readonly TickRecord[]): bigint => some.reduce((net, { liquidityNet }) => net + liquidityNet, 0n);
  const below = liquidity - sum(ticks.filter((each) => each.tick <= tick));
  const above = liquidity + sum(ticks.filter((each) => each.tick > tick));
  const ends = [
    { at: low, liquidity: below, sign: 1n },
    { at: high, liquidity: above, sign: -1n },
  ];
  const whole = new Map(ticks.map((each) => [each.tick, each]));
  for (const { at, liquidity: rest, sign } of ends) {
    if (rest < 0n || (at === null && rest !== 0n)) return null;
    if (at === null || rest === 0n) continue;
    const { liquidityGross = 0n, liquidityNet = 0n } = whole.get(at) ?? {};
    const record = { tick: at, liquidityGross: liquidityGross + rest, liquidityNet: liquidityNet + sign * rest };
    whole.set(at, record);
  }
  const sorted = [...whole.values()].sort((a, b) => a.tick - b.tick);
  // A program is one tick below a price that it came down to.
  const now = tickOfPrice(price);
  const active = sum(sorted.filter((each) => each.tick <= now));
  return active < 0n ? null : { sqrtPriceX96: price, tick: now, liquidity: { active, ticks: sorted } };
}
