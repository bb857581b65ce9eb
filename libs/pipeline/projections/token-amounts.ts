import type { Hex } from '#libs/core/ids.js';

/** The largest amount that a token can state, and a column hold. */
export const MOST_AMOUNT = 2n ** 256n - 1n;

const ZERO_IDS: ReadonlySet<Hex> = new Set(['00'.repeat(20), '00'.repeat(32)]);

/** Not a wallet: a transfer from it mints, a transfer to it burns. */
export const isZeroId = (id: Hex): boolean => ZERO_IDS.has(id);

/** Addresses without a known key to which people send tokens to take them out of circulation. */
const BURN_WALLETS: ReadonlySet<Hex> = new Set([
  // 0x000000000000000000000000000000000000dEaD
  `${'00'.repeat(18)}dead`,
  // 0xdEAD000000000000000042069420694206942069
  'dead000000000000000042069420694206942069',
  // 1nc1nerator11111111111111111111111111111111
  '003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000',
]);

export const isBurnWallet = (id: Hex): boolean => BURN_WALLETS.has(id);
