import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { propertySeeds } from '#libs/devkit/testing/seeded-random.js';
import { launches, origins } from './projection.js';
import { naiveLaunches } from './test/oracle.js';

keyedContract(launches, naiveLaunches);

it('meets launches of every kind, and none of a stable or the coin', () => {
  const seen = new Set<string>();
  for (const seed of propertySeeds(20)) {
    const { groups, reference } = randomHistory(seed, { groups: 120 });
    const never = [reference.coin.token, ...reference.stables];
    for (const group of groups) {
      if (group.kind !== 'block') continue;
      if (group.events.some((event) => event.kind === 'launch' && never.includes(event.token))) seen.add('refused');
    }
    for (const group of runFold(groups).facts) {
      if (group.kind !== 'block') continue;
      for (const row of group.launches ?? []) {
        expect(never).not.toContain(row.token);
        seen.add(origins[row.origin]!);
        if (row.origin === 2) seen.add(row.creator === '' ? 'creation not in view' : 'creation in view');
        if (row.progressPpm > 0 && row.graduated === 0) seen.add('on its way');
        if (row.graduated === 1) seen.add(row.graduatedPool === '' ? 'without a pool' : 'with a pool');
      }
    }
  }
  expect([...seen].sort()).toEqual([
    ...['creation in view', 'creation not in view', 'launched', 'minted', 'on its way', 'refused'],
    ...['with a pool', 'without a pool'],
  ]);
});
