import type { Hex } from '#libs/core/ids.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';

export interface NativeBalance {
  /** Base units. */
  readonly amount: bigint;
  /** Where it was read: the view's block, on Solana a slot of about then. */
  readonly block: number;
}

/** What wallets have of their chain's own coin, of which the log has no transfers. */
export abstract class NativeBalances {
  /** Null where it is not known. `newest`: no earlier block was asked for. */
  abstract read(view: ChainView, wallet: Hex, newest: boolean): Promise<NativeBalance | null>;
}
