import { observedCode } from '../evm/expected-code.js';
import { evmChain } from '../evm-chain.js';

/**
 * Chain 4663. A rollup with ten blocks a second: the tail's window is short so that it stays some thousand blocks long.
 * Coin, block time and multicall3 as viem/chains states them, the wrapped coin and Uniswap's contracts as
 * @uniswap/sdk-core 7.19, the stable as @pancakeswap/tokens, the other intermediate as @uniswap/default-token-list.
 */
export const chaind = evmChain({
  slug: 'chaind',
  networkId: 4663,
  name: 'Chain D',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: { token: '0bd7d308f8e1639fab988df18a8011f41eacad73', symbol: 'WETH', decimals: 18 },
  stables: [{ token: '5fc5360d0400a0fd4f2af552add042d716f1d168', symbol: 'USDG', decimals: 6 }],
  blockTimeMs: 100,
  tailWindowSeconds: 180,
  venues: [
    {
      venue: 'uniswap-v2',
      factory: '8bceaa40b9acdfaedf85adf4ff01f5ad6517937f',
      contracts: { router: '89e5db8b5aa49aa85ac63f691524311aeb649eba' },
      sources: ['https://github.com/Uniswap/sdks/blob/main/sdks/sdk-core/src/addresses.ts'],
    },
    {
      venue: 'uniswap-v3',
      factory: '1f7d7550b1b028f7571e69a784071f0205fd2efa',
      contracts: {
        router: 'caf681a66d020601342297493863e78c959e5cb2',
        quoter: '33e885ed0ec9bf04ecfb19341582aadcb4c8a9e7',
      },
      sources: ['https://github.com/Uniswap/sdks/blob/main/sdks/sdk-core/src/addresses.ts'],
    },
  ],
  evm: {
    quoteLifetimeMs: 15_000,
    intermediates: [
      '0bd7d308f8e1639fab988df18a8011f41eacad73',
      '5fc5360d0400a0fd4f2af552add042d716f1d168',
      'cec185eb182c47d1ba1efc84e6959e18cd620be4',
    ],
    // A proxy: its own code stays when what is behind it changes.
    wrappedNativeCode: observedCode(
      'WETH',
      'chain 4663',
      '5706be52f64875fee65a2cec0d80e47a23d8793cbe85d214b48445e2d05f5353',
    ),
  },
});
