import { evmExchanges } from '../evm/exchange-wallets.js';
import { observedCode } from '../evm/expected-code.js';
import { evmChain } from '../evm-chain.js';

/**
 * Base. A sequencer makes a block every two seconds; the node's `finalized` follows Ethereum by a quarter of an hour and
 * more, so that the tail's window usually decides what is sealed.
 */
export const base = evmChain({
  slug: 'base',
  networkId: 8453,
  name: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: { token: '4200000000000000000000000000000000000006', symbol: 'WETH', decimals: 18 },
  stables: [
    { token: '833589fcd6edb6e08f4c7c32d4f71b54bda02913', symbol: 'USDC', decimals: 6 },
    { token: 'd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', symbol: 'USDbC', decimals: 6 },
    { token: 'fde4c96c8593536e31f229ea8f37b2ada2699bb2', symbol: 'USDT', decimals: 6 },
    { token: '50c5725949a6f0c72e6c4a641f24049a917db0cb', symbol: 'DAI', decimals: 18 },
  ],
  blockTimeMs: 2_000,
  tailWindowSeconds: 600,
  venues: [
    {
      venue: 'uniswap-v2',
      factory: '8909dc15e40173ff4699343b6eb8132c65e18ec6',
      contracts: { router: '4752ba5dbc23f44d87826276bf6fd6b1c372ad24' },
      sources: ['https://docs.uniswap.org/contracts/v2/reference/smart-contracts/v2-deployments'],
    },
    {
      venue: 'uniswap-v3',
      factory: '33128a8fc17869897dce68ed026d694621f6fdfd',
      contracts: {
        router: '2626664c2603336e57b271c5c0b26f421741e481',
        quoter: '3d4e44eb1374240ce5f1b871ab261cd16335b76a',
      },
      sources: ['https://docs.uniswap.org/contracts/v3/reference/deployments/base-deployments'],
    },
    {
      venue: 'aerodrome',
      factory: '420dd381b31aef6683db6b902084cb0ffece40da',
      sources: ['https://github.com/aerodrome-finance/contracts'],
    },
    {
      venue: 'aerodrome-slipstream',
      factory: '5e7bb104d84c7cb9b682aac2f3d509f5f406809a',
      sources: ['https://github.com/aerodrome-finance/slipstream'],
    },
    {
      venue: 'uniswap-v4',
      factory: '498581ff718922c3f8e6a244956af099b2652b2b',
      contracts: { positionManager: '7c5f5a4bbd8fd63184577525326123b519429bdc' },
      sources: ['https://docs.uniswap.org/contracts/v4/deployments'],
    },
  ],
  exchanges: [
    ...evmExchanges,
    {
      name: 'Binance',
      wallets: ['3304e22ddaa22bcdc5fca2269b418046ae7b566a'],
      sources: ['https://basescan.org/accounts/label/binance'],
    },
  ],
  launchpads: [
    {
      launchpad: 'clanker',
      contracts: { factory: 'e85a59c628f7d27878aceb4bf3b35733630083a9' },
      sources: ['https://clanker.gitbook.io/clanker-documentation/references/deployed-contracts'],
    },
    {
      launchpad: 'zora',
      contracts: { factory: '777777751622c0d3258f214f9df38e35bf45baf3' },
      sources: ['https://docs.zora.co/coins/contracts/factory'],
    },
  ],
  evm: {
    quoteLifetimeMs: 15_000,
    intermediates: [
      '4200000000000000000000000000000000000006',
      '833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      'd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca',
      'cbb7c0000ab88b473b1f5afd9ef808440eed33bf',
    ],
    wrappedNativeCode: observedCode(
      'the WETH9 predeploy',
      'Base',
      '8a3a1f6a9f9dce633117adee5b458245835a8645a8c8726a26382a4622508b1c',
    ),
  },
});
