import { itConforms } from '#libs/market-ports/solana/test/conformance.js';
import { solanaVenues } from './solana-registry.js';

describe('Solana venues', () => {
  itConforms('libs/venues', 'venue.ts', solanaVenues);
});
