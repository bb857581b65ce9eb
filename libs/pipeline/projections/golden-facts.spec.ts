import { readFileSync } from 'node:fs';
import { goldenFacts } from '#libs/protocol/codec/test/golden-groups.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { decodeFactsGroup, encodeFactsGroup } from './facts-codec.js';

// The bytes of a version as they were first written. A change here is a change of the format: it takes a new version, of the
// section that changed or of the group. Version 1 had all sections of a group without titles, in another order.
function fixture(path: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<string, string>;
}

const first = (
  fixture('../../protocol/codec/fixtures/groups-v1.json') as unknown as Record<'facts', Record<string, string>>
).facts;
const second = fixture('./fixtures/facts-v2.json');
/** With `prices@1` and `trades@1`. */
const unbacked = fixture('./fixtures/facts-v2-unbacked.json');

/** What these forms do not say. */
function withoutBacking(group: FactsGroup): FactsGroup {
  if (!('prices' in group)) return group;
  const prices = group.prices.map((price) => ({ ...price, backing: null }));
  if (group.kind !== 'block') return { ...group, prices };
  return { ...group, prices, trades: group.trades.map((trade) => ({ ...trade, sender: null })) };
}

describe('golden bytes of facts', () => {
  for (const [name, group] of Object.entries(goldenFacts)) {
    it(`${name} of version 1 decodes`, () => {
      expect(decodeFactsGroup(Buffer.from(first[name]!, 'hex'))).toStrictEqual(withoutBacking(group));
    });

    it(`${name} of version 2 before prices were backed decodes`, () => {
      expect(decodeFactsGroup(Buffer.from(unbacked[name]!, 'hex'))).toStrictEqual(withoutBacking(group));
    });

    it(`${name} of version 2`, () => {
      expect(Buffer.from(encodeFactsGroup(group)).toString('hex')).toBe(second[name]);
      expect(decodeFactsGroup(Buffer.from(second[name]!, 'hex'))).toStrictEqual(group);
    });
  }

  it.each(['block', 'retract'])('%s of version 2 with a proof', (name) => {
    const group = { ...goldenFacts[name]!, proof: name === 'block' ? 'full' : 'sampled' } as FactsGroup;
    const golden = second[`${name} with a proof`]!;
    expect(Buffer.from(encodeFactsGroup(group)).toString('hex')).toBe(golden);
    expect(decodeFactsGroup(Buffer.from(golden, 'hex'))).toStrictEqual(group);
  });
});
