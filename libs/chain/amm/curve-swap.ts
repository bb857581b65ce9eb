// Room: the exact mathematics of curves: what a swap takes and gives, to the base unit. May import core, protocol.

/** What a curve takes and gives for one swap, to the raw unit. */
export interface CurveSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** All that the trader pays on top of the curve's price, in raw units of `feeSide`. */
  readonly fee: bigint;
  readonly feeSide: 'input' | 'output';
  /** Of ticks or bins that the program goes through one by one; absent where a swap always costs about as much. */
  readonly steps?: number;
}
