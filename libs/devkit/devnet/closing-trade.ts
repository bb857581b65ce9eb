/**
 * The trade that an arbitrageur makes at one pool: it brings the price to where one more unit would earn nothing after its
 * cost, and no further. Invariant: none while the price is within the cost of the fair one. Floats suffice here.
 */
export interface PricedDepth {
  /** Base units of the second token for one base unit of the first. */
  price: number;
  depth0: bigint;
  depth1: bigint;
}

export interface ClosingTrade {
  zeroForOne: boolean;
  amountIn: bigint;
}

/** Of a side: less is not worth a transaction. */
const LEAST_OF_DEPTH = 0.0012;
/** Of a side: no trade moves a pool further. */
const MOST_OF_DEPTH = 0.02;
const PARTS = 1e9;

/** `cost` is what the trade loses of its input: fee of the pool and taxes, as a share of one. */
export function closingTrade({ price, depth0, depth1 }: PricedDepth, fair: number, cost: number): ClosingTrade | null {
  const zeroForOne = price > fair;
  const target = zeroForOne ? fair / (1 - cost) : fair * (1 - cost);
  const away = zeroForOne ? price / target : target / price;
  const share = (Math.sqrt(away) - 1) / (1 - cost);
  if (!(share > LEAST_OF_DEPTH)) return null;
  const depth = zeroForOne ? depth0 : depth1;
  const amountIn = (depth * BigInt(Math.round(Math.min(share, MOST_OF_DEPTH) * PARTS))) / BigInt(PARTS);
  return amountIn > 0n ? { zeroForOne, amountIn } : null;
}
