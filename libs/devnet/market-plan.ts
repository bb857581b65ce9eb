import { OFFICIAL } from './official-addresses.js';

/** What the local chain's market consists of. Prices and depths are where trading starts; traders move them. */
export interface PlannedToken {
  symbol: string;
  name: string;
  decimals: number;
  /** USD of one whole token at the start. */
  usd: number;
  contract: 'WETH9' | 'StandardToken' | 'TaxedToken' | 'Bytes32Token' | 'NoReturnToken';
  /** Fixed address; without one the deployer creates the token. */
  address?: string;
  /** Daily volatility of the price that traders believe in. */
  volatility: number;
}

export interface PlannedPool {
  version: 'v2' | 'v3';
  pair: [string, string];
  /** V3 fee in parts per million. */
  fee: number;
  /** USD on each side at the start. */
  depthUsd: number;
  /** How often it is traded, relative to the others. */
  weight: number;
}

const STABLE = { usd: 1, volatility: 0.0005 };

export const PLANNED_TOKENS: readonly PlannedToken[] = [
  {
    symbol: 'WETH',
    name: 'Wrapped Ether',
    decimals: 18,
    usd: 3_150,
    contract: 'WETH9',
    address: OFFICIAL.weth,
    volatility: 0.04,
  },
  {
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
    contract: 'StandardToken',
    address: OFFICIAL.usdc,
    ...STABLE,
  },
  {
    symbol: 'USDT',
    name: 'Tether USD',
    decimals: 6,
    contract: 'NoReturnToken',
    address: OFFICIAL.usdt,
    ...STABLE,
  },
  {
    symbol: 'DAI',
    name: 'Dai Stablecoin',
    decimals: 18,
    contract: 'StandardToken',
    address: OFFICIAL.dai,
    ...STABLE,
  },
  { symbol: 'BRBTC', name: 'Bridged Bitcoin', decimals: 8, usd: 64_200, contract: 'StandardToken', volatility: 0.03 },
  { symbol: 'HRBR', name: 'Harbor', decimals: 18, usd: 7.2, contract: 'StandardToken', volatility: 0.09 },
  { symbol: 'LITE', name: 'Lighthouse', decimals: 18, usd: 14.35, contract: 'StandardToken', volatility: 0.08 },
  { symbol: 'ANC', name: 'Anchor', decimals: 18, usd: 1_840, contract: 'Bytes32Token', volatility: 0.06 },
  { symbol: 'TOLL', name: 'Toll Bridge', decimals: 9, usd: 0.021, contract: 'TaxedToken', volatility: 0.15 },
  { symbol: 'BARN', name: 'Barnacle', decimals: 18, usd: 0.83, contract: 'NoReturnToken', volatility: 0.1 },
  { symbol: 'OTTR', name: 'Otter', decimals: 18, usd: 0.0000123, contract: 'StandardToken', volatility: 0.35 },
  { symbol: 'GNET', name: 'Gannet', decimals: 0, usd: 24.5, contract: 'StandardToken', volatility: 0.12 },
  { symbol: 'KELP', name: 'Kelp', decimals: 6, usd: 0.352, contract: 'StandardToken', volatility: 0.11 },
  { symbol: 'PERL', name: 'Pearl', decimals: 18, usd: 312, contract: 'StandardToken', volatility: 0.07 },
];

function v2(a: string, b: string, depthUsd: number, weight: number): PlannedPool {
  return { version: 'v2', pair: [a, b], fee: 3000, depthUsd, weight };
}

function v3(a: string, b: string, fee: number, depthUsd: number, weight: number): PlannedPool {
  return { version: 'v3', pair: [a, b], fee, depthUsd, weight };
}

export const PLANNED_POOLS: readonly PlannedPool[] = [
  v2('WETH', 'USDC', 4_000_000, 8),
  v2('WETH', 'USDT', 2_500_000, 5),
  v2('WETH', 'DAI', 900_000, 2),
  v2('HRBR', 'WETH', 420_000, 4),
  v2('LITE', 'WETH', 300_000, 3),
  v2('TOLL', 'WETH', 140_000, 4),
  v2('BARN', 'WETH', 120_000, 3),
  v2('OTTR', 'WETH', 260_000, 8),
  v2('GNET', 'WETH', 90_000, 2),
  v2('KELP', 'USDC', 110_000, 2),
  v2('HRBR', 'LITE', 80_000, 1),
  v2('BARN', 'USDT', 60_000, 1),
  v3('WETH', 'USDC', 500, 6_000_000, 14),
  v3('WETH', 'USDC', 3000, 2_000_000, 4),
  v3('WETH', 'USDT', 3000, 1_500_000, 4),
  v3('USDC', 'USDT', 100, 3_000_000, 3),
  v3('DAI', 'USDC', 100, 1_500_000, 2),
  v3('BRBTC', 'WETH', 3000, 2_200_000, 5),
  v3('HRBR', 'WETH', 3000, 350_000, 3),
  v3('LITE', 'WETH', 3000, 260_000, 2),
  v3('ANC', 'WETH', 10000, 240_000, 2),
  v3('PERL', 'USDC', 3000, 300_000, 3),
  v3('OTTR', 'WETH', 10000, 180_000, 4),
  v3('KELP', 'WETH', 10000, 70_000, 1),
  v3('HRBR', 'LITE', 3000, 50_000, 1),
];

/** What came out of setting the plan up on a chain. */
export interface ChainToken {
  address: string;
  symbol: string;
  name: string;
  decimals: number;
  /** Price the market started at. */
  usd: number;
  taxed: boolean;
  volatility: number;
}

export interface ChainPool {
  address: string;
  version: 'v2' | 'v3';
  token0: string;
  token1: string;
  fee: number;
  tickSpacing: number;
  weight: number;
}
