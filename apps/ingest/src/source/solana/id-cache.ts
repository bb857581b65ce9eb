import { solanaIds } from '#libs/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';

const MOST = 50_000;

/** Ids of base58 addresses, of which most come again and again: mints, vaults and the wallets that trade much. */
export class IdCache {
  private readonly ids = new Map<string, Hex | null>();

  /** Null for a text that is no address. */
  id(address: string): Hex | null {
    let id = this.ids.get(address);
    if (id === undefined) {
      id = solanaIds.parseAddress(address);
      if (this.ids.size >= MOST) this.ids.clear();
      this.ids.set(address, id);
    }
    return id;
  }
}
