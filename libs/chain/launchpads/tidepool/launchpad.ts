import { TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import type { SolanaLaunchpadModule } from '#libs/chain/market-ports/solana/module.js';
import { tidepoolLaunchpad } from './decode.js';
import { tidepoolCurves } from './quote.js';

/** Tidepool's own program where local chains run it; another deployment names its address. */
export const localTidepoolLaunchpad = tidepoolLaunchpadAt(TIDEPOOL_LAUNCHPAD);

function tidepoolLaunchpadAt(program: string): SolanaLaunchpadModule {
  return {
    ...{ decoder: tidepoolLaunchpad(program), pools: tidepoolCurves(program), instructions: null },
    swapKind: 'curve',
  };
}
