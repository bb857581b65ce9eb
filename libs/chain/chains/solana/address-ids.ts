import { GenerationCache } from '#libs/core/generation-cache.js';
import type { Hex } from '#libs/core/ids.js';
import { solanaIds } from './ids.js';

const ids = new GenerationCache<string, Hex | null>(25_000, solanaIds.parseAddress);

/**
 * Id of a base58 address; null for a text that is none. The same as `solanaIds.parseAddress`, but remembered: mints, pools
 * and busy wallets come again in every block.
 */
export const addressId = (address: string): Hex | null => ids.get(address);
