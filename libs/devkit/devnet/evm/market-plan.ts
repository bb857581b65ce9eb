/**
 * What a local chain's market consists of. Prices and depths are where trading starts; traders move them. One plan a
 * chain, in markets/.
 */
export interface MarketPlan {
  slug: string;
  chainId: number;
  exchange: ExchangeSites;
  tokens: readonly PlannedToken[];
  pools: readonly PlannedPool[];
  /** Absent where the chain has no Uniswap V4. */
  v4?: PlannedV4;
}

/** The exchange of the chain, and the addresses of its contracts: those of the real chain. */
export interface ExchangeSites {
  family: 'uniswap' | 'pancakeswap';
  /** The wrapped coin. */
  wrapped: string;
  v2Factory: string;
  v2Router: string;
  v3Factory: string;
  v3Router: string;
  quoterV2: string;
  positionManager: string;
  /** PancakeSwap only: the contract that creates the V3 pools. */
  v3Deployer?: string;
  /** Spacing of ticks by V3 fee in parts per million: the tiers that the factory has enabled. */
  tickSpacings: Readonly<Record<number, number>>;
}

export interface PlannedToken {
  symbol: string;
  name: string;
  decimals: number;
  /** USD of one whole token at the start. */
  usd: number;
  contract: 'WrappedCoin' | 'StandardToken' | 'TaxedToken' | 'Bytes32Token' | 'NoReturnToken' | 'GatedToken';
  /** Fixed address; without one the deployer creates the token. */
  address?: string;
  /** Daily volatility of the price that traders take to be fair. */
  volatility: number;
}

export interface PlannedPool {
  version: 'v2' | 'v3';
  pair: [string, string];
  /** V3 fee in parts per million; V2's own for pairs. */
  fee: number;
  /** USD on each side at the start. */
  depthUsd: number;
  /** How often it is traded, relative to the others; 0: liquidity that traders leave alone. */
  weight: number;
}

/** The Uniswap V4 of a market: the pool manager, at its address on the real chain, and the pools in it. */
export interface PlannedV4 {
  poolManager: string;
  pools: readonly PlannedV4Pool[];
}

export interface PlannedV4Pool {
  /** Symbols; NATIVE_CURRENCY means the coin itself. */
  pair: readonly [string, string];
  /** In parts per million. */
  fee: number;
  tickSpacing: number;
  /** Keeps a share of each swap, so that the amounts are not the curve's. */
  hooked: boolean;
  /** USD on each side at the start. */
  depthUsd: number;
  /** How often it is traded, relative to the other V4 pools. */
  weight: number;
}

export const NATIVE_CURRENCY = 'native';

export const STABLE = { usd: 1, volatility: 0.0005 };

export function v2(a: string, b: string, depthUsd: number, weight: number, fee = 3000): PlannedPool {
  return { version: 'v2', pair: [a, b], fee, depthUsd, weight };
}

export function v3(a: string, b: string, fee: number, depthUsd: number, weight: number): PlannedPool {
  return { version: 'v3', pair: [a, b], fee, depthUsd, weight };
}

export const v4 = (
  [a, b]: readonly [string, string],
  [fee, tickSpacing]: readonly [number, number],
  depthUsd: number,
  weight: number,
  hooked = false,
): PlannedV4Pool => ({ pair: [a, b], fee, tickSpacing, hooked, depthUsd, weight });

/** A token of the market, once it is set up on a chain. */
export interface ChainToken {
  address: string;
  symbol: string;
  name: string;
  decimals: number;
  /** Price the market started at. */
  usd: number;
  taxed: boolean;
  /** Its transfers pass only where its owner opened the gate. */
  gated?: boolean;
  volatility: number;
}

/** A V2 or V3 pool of the market, once it is set up on a chain. */
export interface ChainPool {
  address: string;
  version: 'v2' | 'v3';
  token0: string;
  token1: string;
  fee: number;
  tickSpacing: number;
  weight: number;
}
