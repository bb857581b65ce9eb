import { parseAbi } from 'viem';

/** The functions of Uniswap V4's pool manager, and of the local chain's dealer, that setting up and trading use. */
export const POOL_MANAGER_ABI = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function initialize(PoolKey key, uint160 sqrtPriceX96) returns (int24)',
  'function extsload(bytes32 slot) view returns (bytes32)',
]);

export const DEALER_ABI = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function swap(PoolKey key, bool zeroForOne, uint128 amountIn, uint128 leastOut, address recipient) payable',
  'function modifyLiquidity(PoolKey key, int24 lower, int24 upper, int256 liquidityDelta) payable',
]);
