import type { Hex } from '#libs/core/ids.js';
import type { ExpectedCode, VenueSpec } from './chain-spec.js';
import { quoterV2, swapRouter02, uniswapV2Factory, uniswapV2Router02, uniswapV3Factory } from './proven-code.js';

/** Where Uniswap's contracts stand on one chain, and the pages that say so. */
export interface UniswapDeployment {
  /** Code of the chain's wrapped coin. */
  wrappedNative: ExpectedCode;
  /** `routerCode`: where the router is not the package's build. */
  v2: { factory: Hex; router: Hex; routerCode?: ExpectedCode; sources: readonly string[] };
  v3: { factory: Hex; router: Hex; quoter: Hex; sources: readonly string[] };
}

/** Uniswap V2 and V3 of a chain: the same contracts everywhere, at addresses of their own. */
export function uniswapVenues(chain: string, { wrappedNative, v2, v3 }: UniswapDeployment): VenueSpec[] {
  return [
    {
      venue: 'uniswap-v2',
      id: `${chain}-uniswap-v2`,
      label: 'Uniswap V2',
      aliases: [`${chain}-uniswap-v2`, 'DexA V2', `${chain}-dexa-v2`],
      protocol: 'v2',
      kind: 'constant-product',
      factory: v2.factory,
      contracts: {
        router: v2.router,
        routerAbi: 'v2-router02',
        routerFactoryGetter: 'factory',
        routerWrappedNativeGetter: 'WETH',
        fee: { numerator: 997, denominator: 1000 },
        sources: v2.sources,
        code: { factory: uniswapV2Factory, router: v2.routerCode ?? uniswapV2Router02, wrappedNative },
      },
    },
    {
      venue: 'uniswap-v3',
      id: `${chain}-uniswap-v3`,
      label: 'Uniswap V3',
      aliases: [`${chain}-uniswap-v3`, 'DexA V3', `${chain}-dexa-v3`],
      protocol: 'v3',
      kind: 'concentrated',
      factory: v3.factory,
      contracts: {
        router: v3.router,
        routerAbi: 'v3-swap-router02',
        routerFactoryGetter: 'factory',
        routerWrappedNativeGetter: 'WETH9',
        quoter: { address: v3.quoter, abi: 'quoter-v2', factoryGetter: 'factory', wrappedNativeGetter: 'WETH9' },
        feeTiers: [100, 500, 3000, 10000],
        sources: v3.sources,
        code: { factory: uniswapV3Factory, router: swapRouter02, wrappedNative, quoter: quoterV2 },
      },
    },
  ];
}
