import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, PoolStateFact } from '#libs/protocol/facts.js';

/** Pools as the log brings them, for books of tests. */
export interface TestPool {
  record: PoolRecord;
  state: PoolStateFact;
}

export const token = (n: number): Hex => n.toString(16).padStart(4, '0').repeat(10);

/** A pool id of its own for each set of arguments. */
let made = 0;
const poolId = (): Hex => (0xa000_0000 + ++made).toString(16).padStart(40, 'c');

export function pairPool(venue: string, feePpm: number, a: [Hex, bigint], b: [Hex, bigint]): TestPool {
  const [[token0, reserve0], [token1, reserve1]] = a[0] < b[0] ? [a, b] : [b, a];
  const pool = poolId();
  return {
    record: { pool, venue, kind: 'constant-product', token0, token1, feePpm, tickSpacing: 0, created: true },
    state: { pool, reserve0, reserve1, concentrated: null, anchored: true, setApart: null },
  };
}

/** One position around the price 1. */
export function rangePool(venue: string, feePpm: number, spacing: number, a: Hex, b: Hex, liquidity: bigint): TestPool {
  const [token0, token1] = a < b ? [a, b] : [b, a];
  const pool = poolId();
  const width = spacing * 100;
  const ticks = [
    { tick: -width, liquidityNet: liquidity, liquidityGross: liquidity },
    { tick: width, liquidityNet: -liquidity, liquidityGross: liquidity },
  ];
  return {
    record: { pool, venue, kind: 'concentrated', token0, token1, feePpm, tickSpacing: spacing, created: true },
    state: {
      pool,
      reserve0: liquidity,
      reserve1: liquidity,
      concentrated: { sqrtPriceX96: sqrtRatioAtTick(0), tick: 0, liquidity, ticks, ticksComplete: true },
      anchored: true,
      setApart: null,
    },
  };
}

/** A block that creates pools with their states. */
export function blockOf(chain: ChainSpec, seq: number, time: number, pools: readonly TestPool[]): FactsBlock {
  return {
    kind: 'block',
    chain: chain.slug,
    epoch: 1,
    seq,
    height: 19_000_000 + seq,
    hash: (seq + 1).toString(16).padStart(64, 'b'),
    parentHash: seq.toString(16).padStart(64, 'b'),
    time,
    inputHash: '00'.repeat(32),
    trades: [],
    transfers: [],
    tokens: [],
    pools: pools.map(({ record }) => record),
    poolStates: pools.map(({ state }) => state),
    prices: [],
    references: [],
  };
}
