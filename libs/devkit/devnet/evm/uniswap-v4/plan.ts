import { encodeAbiParameters, type Hex, keccak256, zeroAddress } from 'viem';

/** What a market has of Uniswap V4: the pool manager at the address of the real chain, and pools that it holds. */
export interface PlannedV4 {
  poolManager: string;
  pools: readonly PlannedV4Pool[];
}

export interface PlannedV4Pool {
  /** Symbols; NATIVE is the coin itself. */
  pair: readonly [string, string];
  /** In parts per million. */
  fee: number;
  tickSpacing: number;
  /** Keeps a share of each swap, so that the amounts are not the curve's. */
  hooked: boolean;
  /** USD on each side at the start. */
  depthUsd: number;
  /** How often it is traded, relative to the other V4 pools. */
  weight: number;
}

export const NATIVE_CURRENCY = 'native';

export const v4 = (
  [a, b]: readonly [string, string],
  [fee, tickSpacing]: readonly [number, number],
  depthUsd: number,
  weight: number,
  hooked = false,
): PlannedV4Pool => ({ pair: [a, b], fee, tickSpacing, hooked, depthUsd, weight });

/** A pool of the manager, as it came out of setting the plan up. `token0` of a pool of the coin is the zero address. */
export interface ChainV4Pool {
  id: string;
  token0: string;
  token1: string;
  fee: number;
  tickSpacing: number;
  /** The zero address for a pool without. */
  hooks: string;
  weight: number;
}

/** Where wallets find the dealer and the hook. The hook's last 14 bits say what it may do: after a swap, change its amounts. */
export const DEALER = '0x00000000000000000000000000000000b0a75e04';
export const FEE_HOOK = '0xb0a75e0000000000000000000000000000000044';
export const NO_HOOKS = zeroAddress;
export const COIN_ADDRESS = zeroAddress;

export const poolKey = ({ token0, token1, fee, tickSpacing, hooks }: Omit<ChainV4Pool, 'id' | 'weight'>) => ({
  currency0: token0 as Hex,
  currency1: token1 as Hex,
  fee,
  tickSpacing,
  hooks: hooks as Hex,
});

export function poolId(pool: Omit<ChainV4Pool, 'id' | 'weight'>): Hex {
  const { currency0, currency1, fee, tickSpacing, hooks } = poolKey(pool);
  const types = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }));
  return keccak256(encodeAbiParameters(types, [currency0, currency1, fee, tickSpacing, hooks]));
}
