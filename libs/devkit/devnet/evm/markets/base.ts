import { type MarketPlan, NATIVE_CURRENCY, STABLE, v2, v3, v4 } from '../market-plan.js';

const WETH = '0x4200000000000000000000000000000000000006';

/** Base: Uniswap. */
export const baseMarket: MarketPlan = {
  slug: 'base',
  chainId: 8453,
  exchange: {
    family: 'uniswap',
    wrapped: WETH,
    v2Factory: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
    v2Router: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    v3Factory: '0x33128a8fc17869897dce68ed026d694621f6fdfd',
    v3Router: '0x2626664c2603336e57b271c5c0b26f421741e481',
    quoterV2: '0x3d4e44eb1374240ce5f1b871ab261cd16335b76a',
    positionManager: '0x03a520b32c04bf3beef7beb72e919cf822ed34f1',
    tickSpacings: { 100: 1, 500: 10, 3000: 60, 10000: 200 },
  },
  tokens: [
    {
      symbol: 'WETH',
      name: 'Wrapped Ether',
      decimals: 18,
      usd: 3_146,
      contract: 'WrappedCoin',
      address: WETH,
      volatility: 0.04,
    },
    {
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      contract: 'StandardToken',
      address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      ...STABLE,
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      decimals: 18,
      contract: 'StandardToken',
      address: '0x50c5725949a6f0c72e6c4a641f24049a917db0cb',
      ...STABLE,
    },
    { symbol: 'BRNE', name: 'Brine', decimals: 18, usd: 2.65, contract: 'StandardToken', volatility: 0.1 },
    { symbol: 'MUSL', name: 'Mussel', decimals: 6, usd: 0.48, contract: 'NoReturnToken', volatility: 0.12 },
    { symbol: 'SHOL', name: 'Shoal', decimals: 18, usd: 46.2, contract: 'Bytes32Token', volatility: 0.08 },
    { symbol: 'PLVR', name: 'Plover', decimals: 18, usd: 0.000184, contract: 'StandardToken', volatility: 0.3 },
    { symbol: 'FARE', name: 'Ferry Fare', decimals: 9, usd: 0.117, contract: 'TaxedToken', volatility: 0.15 },
    { symbol: 'WEIR', name: 'Weir', decimals: 18, usd: 3.9, contract: 'GatedToken', volatility: 0.05 },
  ],
  pools: [
    v2('WETH', 'USDC', 2_600_000, 6),
    v2('BRNE', 'WETH', 310_000, 4),
    v2('MUSL', 'USDC', 95_000, 2),
    v2('PLVR', 'WETH', 150_000, 5),
    v2('FARE', 'WETH', 85_000, 2),
    v2('WEIR', 'WETH', 60_000, 0),
    v3('WETH', 'USDC', 500, 4_200_000, 10),
    v3('WETH', 'USDC', 3000, 1_100_000, 3),
    v3('DAI', 'USDC', 100, 1_300_000, 2),
    v3('BRNE', 'WETH', 3000, 240_000, 3),
    v3('MUSL', 'USDC', 10000, 70_000, 1),
    v3('SHOL', 'WETH', 3000, 180_000, 2),
    v3('FARE', 'WETH', 10000, 30_000, 0),
  ],
  v4: {
    poolManager: '0x498581ff718922c3f8e6a244956af099b2652b2b',
    pools: [
      v4([NATIVE_CURRENCY, 'USDC'], [500, 10], 1_900_000, 6),
      v4(['DAI', 'USDC'], [100, 1], 700_000, 2),
      v4([NATIVE_CURRENCY, 'BRNE'], [3000, 60], 120_000, 3),
      v4(['MUSL', 'USDC'], [3000, 60], 40_000, 2, true),
    ],
  },
};
