import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { propertySeeds } from '#libs/devkit/testing/seeded-random.js';
import { holders, supplyCoverages } from './projection.js';
import { naiveHolders } from './test/oracle.js';

// The oracle looks at every block of a token again for each of its states.
describe('of an index that begins in mid-life', () => {
  keyedContract(holders, (blocks) => naiveHolders(blocks), { histories: 24, groups: 60 });
});

describe('of an index that begins with the chain', () => {
  const options = { histories: 12, groups: 60, startHeight: 1 };
  keyedContract(holders, (blocks) => naiveHolders(blocks, true), options);
});

it('meets tokens of every standing, with burnt and dead amounts', () => {
  const seen = new Set<string>();
  for (const seed of propertySeeds(20)) {
    for (const group of runFold(randomHistory(seed, { groups: 120 }).groups).facts) {
      if (group.kind !== 'block') continue;
      for (const { standing, burnt, dead } of group.tokenHolders ?? []) {
        seen.add(supplyCoverages[standing]!);
        if (standing === 1 && burnt > 0n) seen.add('burnt');
        if (standing === 1 && dead > 0n) seen.add('dead');
      }
    }
  }
  expect([...seen].sort()).toEqual(['broken', 'burnt', 'complete', 'dead', 'incomplete']);
});
