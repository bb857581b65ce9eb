import type { Hex } from '#libs/core/ids.js';
import { solanaIds } from './ids.js';

const MOST = 50_000;
const ids = new Map<string, Hex | null>();

/**
 * Id of a base58 address; null for a text that is none. The same as `solanaIds.parseAddress`, but remembered: mints, pools
 * and busy wallets come again in every block. Of addresses that are met once alone, it forgets all before they fill memory.
 */
export function addressId(address: string): Hex | null {
  let id = ids.get(address);
  if (id === undefined) {
    id = solanaIds.parseAddress(address);
    if (ids.size >= MOST) ids.clear();
    ids.set(address, id);
  }
  return id;
}
