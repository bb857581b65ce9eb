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
  /** What only the model knows: no fact says it. */
  shown?: NaiveShown;
  /** Of Solana alone: whether the ticks are all that the pool has. */
  rangesKnown?: boolean;
}

/** What trades of a pool with unknown ranges have shown near `from`, and what its vaults moved by in the transaction `tx`. */
export interface NaiveShown {
  from: bigint;
  near: [bigint, bigint];
  tx: string;
  vaults: [bigint, bigint];
}
