import type { FactsBlock, FactsGroup } from '#libs/protocol/facts.js';
import { FactsRows } from '#libs/store/market/facts-rows.js';
import { encodeTables } from '#libs/store/test/row-encoder.js';
import { runFold } from '#libs/testing/histories/fold-driver.js';
import { randomHistory } from '#libs/testing/histories/random-history.js';
import { propertySeeds, scaled } from '#libs/testing/seeded-random.js';
import { decodeFactsGroup, encodeFactsGroup } from '../facts-codec.js';
import type { VenueVolume } from './projection.js';
import { naiveVolumes } from './test/oracle.js';

function survivors(facts: readonly FactsGroup[]): FactsBlock[] {
  let alive: FactsBlock[] = [];
  for (const group of facts) {
    if (group.kind === 'block') alive.push(group);
    else if (group.kind === 'retract') alive = alive.filter(({ height }) => height <= group.height);
  }
  return alive;
}

/** What a reader has that keeps the newest row of each key. */
function read(facts: readonly FactsGroup[]): VenueVolume[] {
  const newest = new Map<string, VenueVolume>();
  for (const group of facts) {
    if (group.kind !== 'block' && group.kind !== 'retract') continue;
    for (const row of group.venueVolumes ?? []) newest.set(`${row.venue} ${row.day}`, row);
  }
  return [...newest.values()]
    .filter(({ trades }) => trades > 0)
    .sort((a, b) => (a.venue === b.venue ? a.day - b.day : a.venue < b.venue ? -1 : 1));
}

it('is the sum of the surviving trades, after every group of a history with retractions', () => {
  let [compared, restored, gone] = [0, 0, 0];
  for (const seed of propertySeeds(scaled(60, 12))) {
    const { groups } = randomHistory(seed, { groups: 120, retractions: 0.15 });
    const facts: FactsGroup[] = [];
    // With few objects in memory, and with as many as there are.
    runFold(
      groups,
      (_, __, group) => {
        facts.push(group);
        const expected = naiveVolumes(survivors(facts));
        expect({ seed, seq: group.seq, volumes: read(facts) }).toEqual({ seed, seq: group.seq, volumes: expected });
        compared += expected.length;
        if (group.kind !== 'retract') return;
        restored += group.venueVolumes?.length ?? 0;
        gone += group.venueVolumes?.filter(({ trades }) => trades === 0).length ?? 0;
      },
      { objects: seed % 2 === 0 ? 8 : 100_000 },
    );
  }
  expect(Math.min(compared, restored, gone)).toBeGreaterThan(0);
});

it('is a section of facts and the rows of its table', () => {
  const { facts } = runFold(randomHistory(3, { groups: 80, retractions: 0.1 }).groups);
  const withRows = facts.filter((group) => (group.kind === 'block' || group.kind === 'retract') && group.venueVolumes);
  expect(withRows.length).toBeGreaterThan(10);
  const rows = new FactsRows();
  for (const group of facts) {
    const bytes = encodeFactsGroup(group);
    expect(decodeFactsGroup(bytes)).toStrictEqual(group);
    expect(Buffer.from(bytes).includes('venue-volumes@1')).toBe(withRows.includes(group));
    rows.add(bytes);
  }
  const table = (batches: readonly { table: string }[]) => batches.find((batch) => batch.table === 'venue_volumes');
  expect(table(rows.batches())).toEqual(table(encodeTables(facts)));
  expect(table(rows.batches())).toMatchObject({ columns: expect.arrayContaining(['venue', 'day', 'volume_usd']) });
});
