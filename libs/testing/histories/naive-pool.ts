import type { PoolRecord } from '#libs/protocol/blocks.js';

/** A pool of the naive model: the contract's own numbers, nothing derived. */
export interface NaivePool {
  record: PoolRecord;
  reserve0: bigint;
  reserve1: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  anchored: boolean;
  /** [gross, net] */
  ticks: Map<number, [bigint, bigint]>;
}
