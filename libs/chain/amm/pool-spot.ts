import type { E36 } from '#libs/core/money.js';
import { type PoolKind, statesPrice } from '#libs/protocol/blocks.js';
import { roughSolidlyStableSpot, solidlyStableSpot } from './solidly-curve.js';
import { concentratedSpot, constantProductSpot } from './spot-price.js';

/** What a pool's spot follows from, as seen from one of its tokens. */
export interface SpotState {
  sqrtPriceX96: bigint;
  baseReserve: bigint;
  quoteReserve: bigint;
  baseIsToken0: boolean;
  baseDecimals: number;
  quoteDecimals: number;
}

/** Spot of a pool of one kind: whole quote tokens for one whole base token, and the same to about fifteen digits. */
export interface PoolSpot {
  exact(state: SpotState): E36 | null;
  rough(state: SpotState): number;
}

const wholeQuotePerBase = (ratio: number, { baseDecimals, quoteDecimals }: SpotState): number =>
  ratio * 10 ** (baseDecimals - quoteDecimals);

const ratioOfReserves: PoolSpot = {
  exact: ({ baseReserve, quoteReserve, baseDecimals, quoteDecimals }) =>
    constantProductSpot(baseReserve, quoteReserve, baseDecimals, quoteDecimals),
  rough: (state) => wholeQuotePerBase(Number(state.quoteReserve) / Number(state.baseReserve), state),
};

const statedPrice: PoolSpot = {
  exact: ({ sqrtPriceX96, baseIsToken0, baseDecimals, quoteDecimals }) =>
    concentratedSpot(sqrtPriceX96, baseIsToken0, baseDecimals, quoteDecimals),
  rough: (state) => {
    const root = Number(state.sqrtPriceX96) / 2 ** 96;
    return wholeQuotePerBase(state.baseIsToken0 ? root * root : 1 / (root * root), state);
  },
};

const solidlyStable: PoolSpot = {
  exact: ({ baseReserve, quoteReserve, baseDecimals, quoteDecimals }) =>
    solidlyStableSpot(baseReserve, quoteReserve, baseDecimals, quoteDecimals),
  rough: ({ baseReserve, quoteReserve, baseDecimals, quoteDecimals }) =>
    roughSolidlyStableSpot(Number(baseReserve) / 10 ** baseDecimals, Number(quoteReserve) / 10 ** quoteDecimals),
};

/** How the spot of each kind is computed. */
export function poolSpot(kind: PoolKind): PoolSpot {
  if (kind === 'stable') return solidlyStable;
  return statesPrice(kind) ? statedPrice : ratioOfReserves;
}
