import type { Hex } from '#libs/core/ids.js';

/** Stands for a chain's own coin where a token is named; inside a route the wrapped token takes its place. */
export const NATIVE: Hex = 'e'.repeat(40);

/** The same as answers spell it. */
export const NATIVE_ADDRESS = `0x${NATIVE}`;
