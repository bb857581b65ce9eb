import type { ExpectedCode, ImmutableValue } from './chain-spec.js';

/**
 * Runtime code of exchange contracts as their own published packages carry it. Invariant: an entry exists only where
 * the package holds that very contract, built by its authors; a contract that stands on a chain with another build is
 * found out and has to be pinned by the operator. Each hash is the keccak-256 of the package's deployed bytecode, in
 * which immutables are zero; the offsets are those of the address bytes that the constructor writes.
 */
function proven(source: string, hash: string, places: Partial<Record<ImmutableValue, number[]>> = {}): ExpectedCode {
  const immutables = Object.entries(places).flatMap(([holds, offsets]) =>
    offsets.map((offset) => [offset, 20, holds as ImmutableValue] as const),
  );
  return { source, hash, immutables };
}

export const uniswapV2Factory = proven(
  '@uniswap/v2-core 1.0.1, UniswapV2Factory',
  'bab145d02e7005f0d84c6c1639d39b799b0ea16df99ebbdaf5a14d9da820b4e0',
);

// biome-ignore format: offsets read best in rows
export const uniswapV2Router02 = proven(
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

export const uniswapV3Factory = proven(
  '@uniswap/v3-core 1.0.1, UniswapV3Factory',
  'c66c27d7d60725224552811cfb0e8148a15e914e0e31720daed102e61a0118af',
  { self: [1373] },
);

// biome-ignore format: offsets read best in rows
export const swapRouter02 = proven(
  '@uniswap/swap-router-contracts 1.3.1, SwapRouter02',
  'e9acc1f5b963bf7640c14bb9547d82f5bf3b6f6cc82fb30189767a973fbd34b1',
  {
    factory: [7768, 9451, 15591],
    wrappedNative: [717, 2888, 4793, 5091, 5258, 5819, 6117, 11675, 11771, 11900],
    // The V2 factory of its V2 half and the position manager.
    unchecked: [3182, 3394, 4078, 5719, 12238, 12689, 5755, 6950, 7848, 12978],
  },
);

export const quoterV2 = proven(
  '@uniswap/swap-router-contracts 1.3.1, QuoterV2',
  '73ee33d5920e0ec67b414f5c03dedf3f0c53f835a343c278c409808d9776dd3c',
  { factory: [1411, 2409, 2974], wrappedNative: [813] },
);

export const pancakeV3Factory = proven(
  '@pancakeswap/v3-core 1.0.2, PancakeV3Factory',
  'e54452f4821538133505a3169b31ebbaa714a788487910ecaf26aff75f431cad',
  // The contract that creates the pools.
  { unchecked: [1791, 4327] },
);
