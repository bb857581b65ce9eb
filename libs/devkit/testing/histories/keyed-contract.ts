import { decodeFactsGroup, encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import type { KeyedProjection } from '#libs/pipeline/projections/keyed-projection.js';
import { FactsRows } from '#libs/pipeline/store/market/facts-rows.js';
import { encodeTables } from '#libs/pipeline/store/test/row-encoder.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsGroup } from '#libs/protocol/facts.js';
import { oneSeedAsked, propertySeeds, scaled } from '../seeded-random.js';
import { runFold } from './fold-driver.js';
import { type HistoryOptions, randomHistory } from './random-history.js';

/** Blocks that are not retracted after these groups. */
export function surviving(facts: readonly FactsGroup[]): FactsBlock[] {
  let alive: FactsBlock[] = [];
  for (const group of facts) {
    if (group.kind === 'block') alive.push(group);
    else if (group.kind === 'retract') alive = alive.filter(({ height }) => height <= group.height);
  }
  return alive;
}

/** What a reader has that keeps the newest row of each key, in key order. */
class NewestRows<Row extends object> {
  private readonly rows = new Map<string, Row>();

  constructor(private readonly projection: KeyedProjection<Row>) {}

  take(group: FactsGroup): readonly Row[] {
    const { keyed } = this.projection;
    const rows = (group as unknown as Record<string, readonly Row[] | undefined>)[keyed.member] ?? [];
    for (const row of rows) {
      const key = keyed.keyOf(row as KeyedRow);
      if (keyed.isNothing(row as KeyedRow)) this.rows.delete(key);
      else this.rows.set(key, row);
    }
    return rows;
  }

  all(): Row[] {
    return [...this.rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

/**
 * What every keyed projection must do: after every group of random histories with retractions its newest rows are those that
 * an oracle works out from the surviving blocks alone; its section comes back from its bytes, and gives the rows of its table.
 */
export function keyedContract<Row extends object>(
  projection: KeyedProjection<Row>,
  oracle: (blocks: readonly FactsBlock[], recorded: readonly BlockGroup[], reference: ReferenceSet) => Row[],
  { histories = 60, ...options }: HistoryOptions & { histories?: number } = {},
): void {
  const { keyed } = projection;
  const inKeyOrder = (rows: Row[]): Row[] =>
    rows.sort((a, b) => (keyed.keyOf(a as KeyedRow) < keyed.keyOf(b as KeyedRow) ? -1 : 1));

  it('is what the surviving blocks say, after every group of a history with retractions', () => {
    const seen = { compared: 0, restored: 0, gone: 0 };
    for (const seed of propertySeeds(scaled(histories, 12))) {
      const { groups, reference } = randomHistory(seed, { groups: 120, retractions: 0.15, ...options });
      const facts: FactsGroup[] = [];
      const newest = new NewestRows(projection);
      runFold(
        groups,
        (_, __, group) => {
          facts.push(group);
          const rows = newest.take(group);
          const alive = surviving(facts);
          const recorded = alive.map(({ seq }) => groups[seq] as BlockGroup);
          const expected = inKeyOrder(oracle(alive, recorded, reference));
          expect({ seed, seq: group.seq, rows: newest.all() }).toEqual({ seed, seq: group.seq, rows: expected });
          seen.compared += expected.length;
          if (group.kind !== 'retract') return;
          seen.restored += rows.length;
          seen.gone += rows.filter((row) => keyed.isNothing(row as KeyedRow)).length;
        },
        // With few objects in memory, and with as many as there are.
        { objects: seed % 2 === 0 ? 8 : 100_000 },
      );
    }
    // A single history may lack one of them.
    if (!oneSeedAsked) expect(Math.min(seen.compared, seen.restored, seen.gone)).toBeGreaterThan(0);
  });

  it('is a section of facts and the rows of its table', () => {
    const { facts } = runFold(randomHistory(3, { ...options, groups: 80, retractions: 0.1 }).groups);
    const withRows = facts.filter((group) => keyed.member in group);
    expect(withRows.length).toBeGreaterThan(5);
    const rows = new FactsRows();
    for (const group of facts) {
      const bytes = encodeFactsGroup(group);
      expect(decodeFactsGroup(bytes)).toStrictEqual(group);
      const section = `${projection.name}@${keyed.space.version}`;
      expect(Buffer.from(bytes).includes(section)).toBe(withRows.includes(group));
      rows.add(bytes);
    }
    const table = (batches: readonly { table: string }[]) => batches.find((batch) => batch.table === keyed.table);
    expect(table(rows.batches())).toBeDefined();
    expect(table(rows.batches())).toEqual(table(encodeTables(facts)));
  });
}
