import { observedCode, provenCode } from '#libs/chain/chains/evm/expected-code.js';
import { swapRouter02Routing, V3_TICK_GAS } from '#libs/chain/market-ports/evm/v3-pool/swap-router02.js';

const factory = provenCode(
  '@pancakeswap/v3-core 1.0.2, PancakeV3Factory',
  'e54452f4821538133505a3169b31ebbaa714a788487910ecaf26aff75f431cad',
  // The contract that creates the pools.
  { unchecked: [1791, 4327] },
);

/** PancakeSwap’s sources give this very code when they are compiled with its own settings. */
const quoterV2 = observedCode(
  'PancakeSwap’s QuoterV2',
  'BNB Smart Chain',
  '2734833b7d2a656d4797f4a7d959314654749a7424ec473267613ff26424138a',
);

/**
 * PancakeSwap V3 through the SmartRouter, whose V3 half has SwapRouter02's interface. The router's code is not proven:
 * it is served once the operator has pinned it.
 */
export const pancakeswapV3Routing = swapRouter02Routing(
  [100, 500, 2500, 10000],
  { transaction: 41_700n, pool: 79_500n, nativeIn: 4_500n, nativeOut: 17_500n, ticks: V3_TICK_GAS },
  { factory, router: null, quoter: quoterV2 },
);
