import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { SetApart } from '#libs/protocol/facts.js';

/** A pool of the naive model: the contract's own numbers, nothing derived. */
export interface NaivePool {
  record: PoolRecord;
  reserve0: bigint;
  reserve1: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  anchored: boolean;
  setApart: SetApart | null;
  /** [gross, net] */
  ticks: Map<number, [bigint, bigint]>;
}
