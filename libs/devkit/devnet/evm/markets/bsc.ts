import { type MarketPlan, type PlannedPool, STABLE, v2, v3 } from '../market-plan.js';

const WBNB = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c';

/** PancakeSwap V2 takes 0.25 %. */
const pair = (a: string, b: string, depthUsd: number, weight: number): PlannedPool => v2(a, b, depthUsd, weight, 2500);

/** BNB Smart Chain: PancakeSwap. Its dollars have 18 decimals. */
export const bscMarket: MarketPlan = {
  slug: 'bsc',
  chainId: 56,
  exchange: {
    family: 'pancakeswap',
    wrapped: WBNB,
    v2Factory: '0xca143ce32fe78f1f7019d7d551a6402fc5350c73',
    v2Router: '0x10ed43c718714eb63d5aa57b78b54704e256024e',
    v3Factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
    v3Router: '0x13f4ea83d0bd40e75c8222255bc855a974568dd4',
    quoterV2: '0xb048bbc1ee6b733fffcfb9e9cef7375518e25997',
    positionManager: '0x46a15b0b27311cedf172ab29e4f4766fbe7f4364',
    v3Deployer: '0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9',
    tickSpacings: { 100: 1, 500: 10, 2500: 50, 10000: 200 },
  },
  tokens: [
    {
      symbol: 'WBNB',
      name: 'Wrapped BNB',
      decimals: 18,
      usd: 612,
      contract: 'WrappedCoin',
      address: WBNB,
      volatility: 0.04,
    },
    {
      symbol: 'USDT',
      name: 'Tether USD',
      decimals: 18,
      contract: 'StandardToken',
      address: '0x55d398326f99059ff775485246999027b3197955',
      ...STABLE,
    },
    {
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 18,
      contract: 'StandardToken',
      address: '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
      ...STABLE,
    },
    {
      symbol: 'ETH',
      name: 'Bridged Ether',
      decimals: 18,
      usd: 3_149,
      contract: 'StandardToken',
      address: '0x2170ed0880ac9a755fd29b2688956bd959f933f8',
      volatility: 0.04,
    },
    { symbol: 'LMPT', name: 'Limpet', decimals: 18, usd: 1.74, contract: 'StandardToken', volatility: 0.1 },
    { symbol: 'WHLK', name: 'Whelk', decimals: 6, usd: 0.63, contract: 'NoReturnToken', volatility: 0.12 },
    { symbol: 'SKRY', name: 'Skerry', decimals: 18, usd: 27.4, contract: 'Bytes32Token', volatility: 0.08 },
    { symbol: 'PFFN', name: 'Puffin', decimals: 18, usd: 0.0000461, contract: 'StandardToken', volatility: 0.32 },
    { symbol: 'PILT', name: 'Pilotage', decimals: 9, usd: 0.088, contract: 'TaxedToken', volatility: 0.15 },
    { symbol: 'BOOM', name: 'Harbor Boom', decimals: 18, usd: 1.2, contract: 'GatedToken', volatility: 0.05 },
  ],
  pools: [
    pair('WBNB', 'USDT', 2_200_000, 6),
    pair('LMPT', 'WBNB', 280_000, 4),
    pair('WHLK', 'USDT', 90_000, 2),
    pair('PFFN', 'WBNB', 170_000, 5),
    pair('PILT', 'WBNB', 80_000, 2),
    pair('BOOM', 'WBNB', 55_000, 0),
    v3('WBNB', 'USDT', 500, 3_600_000, 10),
    v3('WBNB', 'USDT', 2500, 900_000, 3),
    v3('USDT', 'USDC', 100, 1_800_000, 2),
    v3('ETH', 'WBNB', 500, 1_400_000, 4),
    v3('LMPT', 'WBNB', 2500, 200_000, 3),
    v3('WHLK', 'USDT', 10000, 65_000, 1),
    v3('SKRY', 'WBNB', 2500, 150_000, 2),
    v3('PILT', 'WBNB', 10000, 28_000, 0),
  ],
};
