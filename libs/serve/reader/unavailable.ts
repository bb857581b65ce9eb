import type { ChainFamily } from '#libs/chain/chains/chain-manifest.js';
import { TidepoolError } from '#libs/core/errors.js';

/** The chain cannot be answered for now: the same request succeeds later. */
export class ChainUnavailableError extends TidepoolError {
  constructor(chain: string, reason: string) {
    super('chain_unavailable', `${chain} cannot be served now: ${reason}`);
  }
}

/** A view that was pinned earlier cannot be read any more: its rows were purged or the tables were rebuilt. */
export class StaleViewError extends TidepoolError {
  constructor(reason: string) {
    super('stale_view', reason);
  }
}

/** A block that the chain, as it is indexed here, does not have. */
export class UnknownBlockError extends TidepoolError {
  constructor(
    readonly height: number,
    readonly family: ChainFamily,
  ) {
    super('unknown_block', `${family === 'solana' ? 'slot' : 'block'} ${height} is not indexed`);
  }
}
