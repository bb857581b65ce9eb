import { itConforms } from '#libs/chain/market-ports/solana/test/conformance.js';
import { solanaLaunchpads } from './solana-registry.js';

describe('Solana launchpads', () => {
  itConforms('libs/chain/launchpads', 'launchpad.ts', solanaLaunchpads);
});
