import { TIDEPOOL_AMM } from '#libs/chain/chains/solana/tidepool-programs.js';
import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { tidepoolAmm } from './decode.js';
import { tidepoolAmmPools } from './quote.js';

/** Tidepool's own program where local chains run it; another deployment names its address. */
export const localTidepoolAmm = tidepoolAmmAt(TIDEPOOL_AMM);

function tidepoolAmmAt(program: string): SolanaVenueModule {
  return {
    ...{ decoder: tidepoolAmm(program), pools: tidepoolAmmPools(program), instructions: null },
    swapKind: 'pool',
  };
}
