import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { traderTags } from './projection.js';
import { tagsOf, traderTagNames } from './tags.js';
import { naiveTags } from './test/oracle.js';

describe('busy blocks of few wallets', () => {
  keyedContract(traderTags, naiveTags, { histories: 12, groups: 40, traders: true, busiest: 14, blockTime: 4_000 });
});

describe('many wallets over weeks', () => {
  keyedContract(traderTags, naiveTags, { histories: 12, groups: 50, busiest: 4, blockTime: 4_000_000 });
});

it('meets every tag but that of bundles, which are rare, and one that changes what earlier trades show', () => {
  const seen = new Set<string>();
  const expected = [...traderTagNames.filter((tag) => tag !== 'bundler'), 'later'].sort();
  const first = testSeed();
  for (let seed = first; seed < first + 400; seed++) {
    const slow = seed % 2 === 0;
    const { groups } = randomHistory(seed, {
      ...{ groups: 80, traders: !slow, busiest: slow ? 4 : 14, blockTime: slow ? 4_000_000 : 4_000 },
    });
    const traded = new Set<string>();
    for (const group of runFold(groups).facts) {
      if (group.kind !== 'block') continue;
      for (const { token, wallet, tags, taggedAt } of group.traderTags ?? []) {
        for (const tag of tagsOf(tags)) if (tag !== 'bundler') seen.add(tag);
        if (taggedAt === group.height && traded.has(`${token} ${wallet}`)) seen.add('later');
      }
      for (const { base, quote, wallet } of group.trades) traded.add(`${base} ${wallet}`).add(`${quote} ${wallet}`);
    }
    if (seen.size === expected.length) break;
  }
  expect([...seen].sort()).toEqual(expected);
});
