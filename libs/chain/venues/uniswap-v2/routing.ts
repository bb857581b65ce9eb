import { observedCode, provenCode } from '#libs/chain/chains/evm/expected-code.js';
import { v2Router02 } from '#libs/chain/market-ports/evm/v2-pair/v2-router02.js';
import type { VenueRouting } from '#libs/chain/market-ports/evm/venue-routing.js';

const factory = provenCode(
  '@uniswap/v2-core 1.0.1, UniswapV2Factory',
  'bab145d02e7005f0d84c6c1639d39b799b0ea16df99ebbdaf5a14d9da820b4e0',
);

// biome-ignore format: offsets read best in rows
const router02 = provenCode(
  '@uniswap/v2-periphery 1.1.0-beta.0, UniswapV2Router02',
  '309e403331e84c15ac3797595653f15bb240a8b43d186da5ffddaa8540ec4d94',
  {
    factory: [
      4307, 4561, 4983, 5040, 5467, 6128, 6336, 6829, 8811, 9228, 9653, 10920, 11755, 12413, 12454, 12502, 12979, 13410,
      14393, 14807, 17494, 17561, 18425, 18906, 20309, 20534, 20662,
    ],
    wrappedNative: [
      440, 3689, 3748, 4065, 4772, 5886, 6370, 7722, 8110, 8318, 8581, 9016, 9165, 9855, 10022, 10235, 10496, 10728,
      10857, 12536, 13358, 13444, 13496, 13625, 14163, 14595, 14744,
    ],
  },
);

/** Another build of UniswapV2Router02 than the package’s. */
const router02Of4663 = observedCode(
  'UniswapV2Router02',
  'chain 4663',
  'bd55ea26b2f8d42a8ff151511cef92a326a9817686899fe96a8a8f81ee7fc55e',
);

/** Uniswap V2 through its UniswapV2Router02. */
export const uniswapV2Routing: VenueRouting = {
  swaps: v2Router02,
  routerAbi: 'v2-router02',
  routerFactoryGetter: 'factory',
  routerWrappedNativeGetter: 'WETH',
  fee: { numerator: 997, denominator: 1000 },
  code: { factory, router: router02 },
  observed: { '89e5db8b5aa49aa85ac63f691524311aeb649eba': router02Of4663 },
};
