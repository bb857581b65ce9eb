import { encodeAbiParameters, type Hex, keccak256, zeroAddress } from 'viem';

/** A pool of the manager, once it is set up on a chain. In a pool of the coin `token0` is the zero address. */
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

/** Addresses of the dealer and the hook. The last 14 bits of a hook's address say what it may do: this one changes amounts after a swap. */
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
