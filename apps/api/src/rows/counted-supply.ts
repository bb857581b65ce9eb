import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';

/** The mint of wrapped SOL counts nothing: wrapped coins are in accounts that no supply adds up. */
export const isCounted = (chain: ChainSpec, token: Hex): boolean =>
  chain.family === 'evm' || token !== chain.wrappedNative.token;
