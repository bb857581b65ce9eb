import { itConforms } from '#libs/chain/market-ports/solana/test/conformance.js';
import { solanaVenues } from './solana-registry.js';

describe('Solana venues', () => {
  itConforms('libs/chain/venues', 'venue.ts', solanaVenues);
});
