import { provenCode } from '#libs/chain/chains/evm/expected-code.js';
import { swapRouter02Routing, V3_TICK_GAS } from '#libs/chain/market-ports/evm/v3-pool/swap-router02.js';

const factory = provenCode(
  '@uniswap/v3-core 1.0.1, UniswapV3Factory',
  'c66c27d7d60725224552811cfb0e8148a15e914e0e31720daed102e61a0118af',
  { self: [1373] },
);

// biome-ignore format: offsets read best in rows
const swapRouterCode = provenCode(
  '@uniswap/swap-router-contracts 1.3.1, SwapRouter02',
  'e9acc1f5b963bf7640c14bb9547d82f5bf3b6f6cc82fb30189767a973fbd34b1',
  {
    factory: [7768, 9451, 15591],
    wrappedNative: [717, 2888, 4793, 5091, 5258, 5819, 6117, 11675, 11771, 11900],
    // The V2 factory of its V2 half and the position manager.
    unchecked: [3182, 3394, 4078, 5719, 12238, 12689, 5755, 6950, 7848, 12978],
  },
);

const quoterV2 = provenCode(
  '@uniswap/swap-router-contracts 1.3.1, QuoterV2',
  '73ee33d5920e0ec67b414f5c03dedf3f0c53f835a343c278c409808d9776dd3c',
  { factory: [1411, 2409, 2974], wrappedNative: [813] },
);

/** Uniswap V3 through SwapRouter02, with QuoterV2. */
export const uniswapV3Routing = swapRouter02Routing(
  [100, 500, 3000, 10000],
  { transaction: 36_700n, pool: 65_400n, nativeIn: 4_500n, nativeOut: 16_800n, ticks: V3_TICK_GAS },
  { factory, router: swapRouterCode, quoter: quoterV2 },
);
