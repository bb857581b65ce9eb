import { learnFamilies } from '../state/families.js';
import { heights, heightWords } from './heights.js';

describe('what a height is called', () => {
  it('is a slot on a chain that counts slots, whatever its name, and a block until the chains are known', () => {
    expect(heightWords('lagoon').one).toBe('block');
    learnFamilies([
      { chain: 'lagoon', family: 'solana' },
      { chain: 'harbor', family: 'evm' },
    ]);
    expect([heights('lagoon', 1), heights('lagoon', 2), heights('harbor', 2)]).toEqual(['slot', 'slots', 'blocks']);
  });
});
