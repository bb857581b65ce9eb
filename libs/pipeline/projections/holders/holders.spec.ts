import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { propertySeeds } from '#libs/devkit/testing/seeded-random.js';
import { holders, supplyCoverages } from './projection.js';
import { naiveHolders } from './test/oracle.js';

// The oracle looks at every block of a token again for each of its states.
keyedContract(holders, naiveHolders, { histories: 24, groups: 60 });

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
