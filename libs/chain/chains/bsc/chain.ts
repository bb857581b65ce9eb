import { evmExchanges } from '../evm/exchange-wallets.js';
import { observedCode } from '../evm/expected-code.js';
import { evmChain } from '../evm-chain.js';

/**
 * BNB Smart Chain. Blocks come every 750 ms and are final within seconds, which the node's `finalized` tells. Addresses
 * as PancakeSwap's smart-router, v3-sdk and tokens packages state them.
 */
export const bsc = evmChain({
  slug: 'bsc',
  aliases: ['bnb'],
  networkId: 56,
  name: 'BNB Smart Chain',
  nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 },
  wrappedNative: { token: 'bb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c', symbol: 'WBNB', decimals: 18 },
  stables: [
    { token: '55d398326f99059ff775485246999027b3197955', symbol: 'USDT', decimals: 18 },
    { token: '8ac76a51cc950d9822d68b83fe1ad97b32cd580d', symbol: 'USDC', decimals: 18 },
    { token: '8d0d000ee44948fc98c9b98a4fa4921476f08b0d', symbol: 'USD1', decimals: 18 },
    { token: 'c5f0f7b66764f6ec8c8dff7ba683102295e16409', symbol: 'FDUSD', decimals: 18 },
  ],
  blockTimeMs: 750,
  tailWindowSeconds: 300,
  venues: [
    {
      venue: 'pancakeswap-v2',
      factory: 'ca143ce32fe78f1f7019d7d551a6402fc5350c73',
      contracts: { router: '10ed43c718714eb63d5aa57b78b54704e256024e' },
      sources: [
        'https://developer.pancakeswap.finance/contracts/v2/factory-v2',
        'https://developer.pancakeswap.finance/contracts/v2/router-v2',
      ],
    },
    {
      venue: 'pancakeswap-v3',
      factory: '0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      contracts: {
        router: '13f4ea83d0bd40e75c8222255bc855a974568dd4',
        quoter: 'b048bbc1ee6b733fffcfb9e9cef7375518e25997',
      },
      sources: ['https://developer.pancakeswap.finance/contracts/v3/addresses'],
    },
  ],
  exchanges: [
    ...evmExchanges,
    {
      name: 'Binance',
      wallets: ['8894e0a0c962cb723c1976a4421c95949be2d4e3'],
      sources: ['https://bscscan.com/accounts/label/binance'],
    },
  ],
  launchpads: [
    {
      launchpad: 'four-meme',
      contracts: { manager: '5c952063c7fc8610ffdb798152d69f0b9550762b' },
      sources: ['https://bscscan.com/address/0x5c952063c7fc8610ffdb798152d69f0b9550762b'],
    },
  ],
  evm: {
    quoteLifetimeMs: 15_000,
    intermediates: [
      'bb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
      '55d398326f99059ff775485246999027b3197955',
      '8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
      '2170ed0880ac9a755fd29b2688956bd959f933f8',
      '7130d2a12b9bcbfae4f2634d864a1ee1ce3ead9c',
      '0e09fabb73bd3ade0a17ecc321fd13a19e81ce82',
    ],
    wrappedNativeCode: observedCode(
      'WBNB',
      'BNB Smart Chain',
      'b7d84205eaaf83ce7b3940c6beaad6d22790255e34a9a2b486aa8cdfff118fe6',
    ),
  },
});
