import { evmExchanges } from '../evm/exchange-wallets.js';
import { observedCode } from '../evm/expected-code.js';
import { evmChain } from '../evm-chain.js';

/** Ethereum mainnet. Addresses as the Uniswap SDK and the token issuers publish them. */
export const eth = evmChain({
  slug: 'eth',
  aliases: ['ethereum'],
  networkId: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: { token: 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', symbol: 'WETH', decimals: 18 },
  stables: [
    { token: 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', symbol: 'USDC', decimals: 6 },
    { token: 'dac17f958d2ee523a2206206994597c13d831ec7', symbol: 'USDT', decimals: 6 },
    { token: '6b175474e89094c44da98b954eedeac495271d0f', symbol: 'DAI', decimals: 18 },
  ],
  blockTimeMs: 12_000,
  tailWindowSeconds: 900,
  venues: [
    {
      venue: 'uniswap-v2',
      factory: '5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
      contracts: { router: '7a250d5630b4cf539739df2c5dacb4c659f2488d' },
      sources: ['https://docs.uniswap.org/contracts/v2/reference/smart-contracts/v2-deployments'],
    },
    {
      venue: 'uniswap-v3',
      factory: '1f98431c8ad98523631ae4a59f267346ea31f984',
      contracts: {
        router: '68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
        quoter: '61ffe014ba17989e743c5f6cb21bf9697530b21e',
      },
      sources: ['https://docs.uniswap.org/contracts/v3/reference/deployments/ethereum-deployments'],
    },
    {
      venue: 'uniswap-v4',
      factory: '000000000004444c5dc75cb358380d2e3de08a90',
      contracts: { positionManager: 'bd216513d74c8cf14cf4747e6aaa6420ff64ee9e' },
      sources: ['https://docs.uniswap.org/contracts/v4/deployments'],
    },
  ],
  exchanges: evmExchanges,
  evm: {
    quoteLifetimeMs: 30_000,
    intermediates: [
      'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
      'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      'dac17f958d2ee523a2206206994597c13d831ec7',
      '6b175474e89094c44da98b954eedeac495271d0f',
    ],
    wrappedNativeCode: observedCode(
      'WETH9',
      'Ethereum',
      'd0a06b12ac47863b5c7be4185c2deaad1c61557033f56c7d4ea74429cbb25e23',
    ),
  },
});
