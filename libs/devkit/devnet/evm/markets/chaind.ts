import { type MarketPlan, STABLE, v2, v3 } from '../market-plan.js';

const WETH = '0x0bd7d308f8e1639fab988df18a8011f41eacad73';

/** The chain with id 4663: Uniswap. */
export const chaindMarket: MarketPlan = {
  slug: 'chaind',
  chainId: 4663,
  exchange: {
    family: 'uniswap',
    wrapped: WETH,
    v2Factory: '0x8bceaa40b9acdfaedf85adf4ff01f5ad6517937f',
    v2Router: '0x89e5db8b5aa49aa85ac63f691524311aeb649eba',
    v3Factory: '0x1f7d7550b1b028f7571e69a784071f0205fd2efa',
    v3Router: '0xcaf681a66d020601342297493863e78c959e5cb2',
    quoterV2: '0x33e885ed0ec9bf04ecfb19341582aadcb4c8a9e7',
    positionManager: '0x73991a25c818bf1f1128deaab1492d45638de0d3',
    tickSpacings: { 100: 1, 500: 10, 3000: 60, 10000: 200 },
  },
  tokens: [
    {
      symbol: 'WETH',
      name: 'Wrapped Ether',
      decimals: 18,
      usd: 3_154,
      contract: 'WrappedCoin',
      address: WETH,
      volatility: 0.04,
    },
    {
      symbol: 'USDG',
      name: 'Global Dollar',
      decimals: 6,
      contract: 'StandardToken',
      address: '0x5fc5360d0400a0fd4f2af552add042d716f1d168',
      ...STABLE,
    },
    { symbol: 'USDW', name: 'Wharf Dollar', decimals: 18, contract: 'StandardToken', ...STABLE },
    { symbol: 'TERN', name: 'Tern', decimals: 18, usd: 11.8, contract: 'StandardToken', volatility: 0.09 },
    { symbol: 'SPRT', name: 'Sprat', decimals: 6, usd: 0.272, contract: 'NoReturnToken', volatility: 0.13 },
    { symbol: 'QUAY', name: 'Quay', decimals: 18, usd: 148, contract: 'Bytes32Token', volatility: 0.07 },
    { symbol: 'EIDR', name: 'Eider', decimals: 0, usd: 6.1, contract: 'StandardToken', volatility: 0.14 },
    { symbol: 'DUES', name: 'Harbor Dues', decimals: 9, usd: 0.046, contract: 'TaxedToken', volatility: 0.16 },
    { symbol: 'LOCK', name: 'Canal Lock', decimals: 18, usd: 2.2, contract: 'GatedToken', volatility: 0.05 },
  ],
  pools: [
    v2('WETH', 'USDG', 1_700_000, 6),
    v2('TERN', 'WETH', 260_000, 4),
    v2('SPRT', 'USDG', 80_000, 2),
    v2('EIDR', 'WETH', 75_000, 3),
    v2('DUES', 'WETH', 65_000, 2),
    v2('LOCK', 'WETH', 50_000, 0),
    v3('WETH', 'USDG', 500, 2_900_000, 10),
    v3('WETH', 'USDG', 3000, 800_000, 3),
    v3('USDW', 'USDG', 100, 900_000, 2),
    v3('TERN', 'WETH', 3000, 210_000, 3),
    v3('SPRT', 'USDG', 10000, 60_000, 1),
    v3('QUAY', 'WETH', 3000, 160_000, 2),
    v3('DUES', 'WETH', 10000, 25_000, 0),
  ],
};
