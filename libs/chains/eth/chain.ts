import { evmIds } from '#libs/core/ids.js';
import type { ChainSpec } from '../chain-spec.js';
import { standardPriceRules } from '../price-rules.js';

/** Ethereum mainnet. Addresses as the Uniswap SDK and the token issuers publish them. */
export const eth: ChainSpec = {
  slug: 'eth',
  aliases: ['ethereum'],
  networkId: 1,
  chainId: 1,
  family: 'evm',
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: { token: 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', symbol: 'WETH', decimals: 18 },
  stables: [
    { token: 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', symbol: 'USDC', decimals: 6 },
    { token: 'dac17f958d2ee523a2206206994597c13d831ec7', symbol: 'USDT', decimals: 6 },
    { token: '6b175474e89094c44da98b954eedeac495271d0f', symbol: 'DAI', decimals: 18 },
  ],
  blockTimeMs: 12_000,
  finality: { source: 'finalized-tag', tailWindowSeconds: 900 },
  priceRules: standardPriceRules,
  launchpads: [],
  ids: evmIds,
  venues: [
    {
      venue: 'uniswap-v2',
      id: 'eth-uniswap-v2',
      label: 'Uniswap V2',
      aliases: ['eth-uniswap-v2', 'DexA V2', 'eth-dexa-v2'],
      protocol: 'v2',
      kind: 'constant-product',
      factory: '5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
      contracts: {
        router: '7a250d5630b4cf539739df2c5dacb4c659f2488d',
        routerAbi: 'v2-router02',
        routerFactoryGetter: 'factory',
        routerWrappedNativeGetter: 'WETH',
        fee: { numerator: 997, denominator: 1000 },
        sources: ['https://docs.uniswap.org/contracts/v2/reference/smart-contracts/v2-deployments'],
        code: { factory: null, router: null, wrappedNative: null },
      },
    },
    {
      venue: 'uniswap-v3',
      id: 'eth-uniswap-v3',
      label: 'Uniswap V3',
      aliases: ['eth-uniswap-v3', 'DexA V3', 'eth-dexa-v3'],
      protocol: 'v3',
      kind: 'concentrated',
      factory: '1f98431c8ad98523631ae4a59f267346ea31f984',
      contracts: {
        router: '68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
        routerAbi: 'v3-swap-router02',
        routerFactoryGetter: 'factory',
        routerWrappedNativeGetter: 'WETH9',
        quoter: {
          address: '61ffe014ba17989e743c5f6cb21bf9697530b21e',
          abi: 'quoter-v2',
          factoryGetter: 'factory',
          wrappedNativeGetter: 'WETH9',
        },
        feeTiers: [100, 500, 3000, 10000],
        sources: ['https://docs.uniswap.org/contracts/v3/reference/deployments/ethereum-deployments'],
        code: { factory: null, router: null, wrappedNative: null, quoter: null },
      },
    },
  ],
  evm: {
    multicall3: 'ca11bde05977b3631167028862be2a173976ca11',
    quoteLifetimeMs: 30_000,
    intermediates: [
      'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
      'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      'dac17f958d2ee523a2206206994597c13d831ec7',
      '6b175474e89094c44da98b954eedeac495271d0f',
    ],
  },
};
