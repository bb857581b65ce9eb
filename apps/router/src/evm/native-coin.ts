import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';

/** Names a chain's own coin in place of a token; inside a route the wrapped token takes its place. */
export const NATIVE_MINT: Hex = 'e'.repeat(40);

/** The same as answers spell it. */
export const NATIVE_ADDRESS = `0x${NATIVE_MINT}`;

/** The token by which pools know a mint. */
export const poolToken = (chain: ChainSpec, mint: Hex): Hex =>
  mint === NATIVE_MINT ? chain.wrappedNative.token : mint;
