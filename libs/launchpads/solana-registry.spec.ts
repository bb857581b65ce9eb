import { itConforms } from '#libs/market-ports/solana/test/conformance.js';
import { solanaLaunchpads } from './solana-registry.js';

describe('Solana launchpads', () => {
  itConforms('libs/launchpads', 'launchpad.ts', solanaLaunchpads);
});
