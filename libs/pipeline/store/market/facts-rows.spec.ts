import { readFileSync } from 'node:fs';
import { UndecodableError } from '#libs/core/errors.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { decodeFactsGroup, encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { goldenFacts } from '#libs/protocol/codec/test/golden-groups.js';
import type { FactsBlock, FactsGroup } from '#libs/protocol/facts.js';
import { RandomFacts } from '../test/random-facts.js';
import { encodeTables } from '../test/row-encoder.js';
import { seeded } from '../test/seeded.js';
import { FactsRows } from './facts-rows.js';

/** Random groups whose amounts the codec allows: only the net liquidity of a tick may be negative. */
function history(random: SeededRandom): FactsGroup[] {
  const facts = new RandomFacts(random);
  for (let i = 0; i < 40; i++) facts.step();
  return facts.groups.map((group) => allowed(group, '') as FactsGroup);
}

function allowed(value: unknown, name: string): unknown {
  if (typeof value === 'bigint') return value < 0n && name !== 'liquidityNet' ? -value : value;
  if (Array.isArray(value)) return value.map((item) => allowed(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, allowed(member, key)]));
}

describe('FactsRows', () => {
  it('gives the rows of encodeTables, byte for byte, and the head of each group', async () => {
    const seed = testSeed();
    await seeded(seed, async () => {
      for (let run = 0; run < scaled(200); run++) {
        const groups = history(new SeededRandom(seed + run));
        const rows = new FactsRows();
        const heads = groups.map((group) => rows.add(encodeFactsGroup(group)));
        expect(rows.batches()).toEqual(encodeTables(groups));
        for (const [index, head] of heads.entries()) expect(groups[index]).toMatchObject(head);
      }
    });
  });

  it('reads groups of the first form', () => {
    const golden = JSON.parse(
      readFileSync(new URL('../../../protocol/codec/fixtures/groups-v1.json', import.meta.url), 'utf8'),
    ) as { facts: Record<string, string> };
    for (const [name, group] of Object.entries(goldenFacts)) {
      // A reserve of the golden block is beyond its column; the first byte of that amount is its length.
      const bytes = (hex: string) =>
        Buffer.from(hex.replace(`20${'00'.repeat(31)}80`, `20${'00'.repeat(31)}40`), 'hex');
      const rows = new FactsRows();
      expect(group).toMatchObject(rows.add(bytes(golden.facts[name]!)));
      const newest = new FactsRows();
      newest.add(bytes(Buffer.from(encodeFactsGroup(group)).toString('hex')));
      // Prices and trades of the first form are not written.
      expect(rows.batches()).toEqual(newest.batches().filter(({ table }) => table !== 'prices' && table !== 'trades'));
      if (name === 'block') expect(rows.batches().map(({ rows }) => rows)).toEqual([1, 2, 2, 2, 2, 1]);
    }
  });

  it('steps over a section that it does not know', () => {
    const facts = new RandomFacts(new SeededRandom(3));
    const withTrades = (group: FactsGroup) => group.kind === 'block' && group.trades.length > 0;
    while (!facts.groups.some(withTrades)) facts.block();
    const block = allowed(facts.groups.find(withTrades), '') as FactsBlock;
    const bytes = Buffer.from(encodeFactsGroup(block));
    bytes.write('trades@9', bytes.indexOf('trades@2'), 'latin1');
    const rows = new FactsRows();
    rows.add(bytes);
    expect(rows.batches()).toEqual(encodeTables([{ ...block, trades: [] }]));
  });

  it('takes the first group of an epoch, whose height is below every block', () => {
    const facts = new RandomFacts(new SeededRandom(1));
    const epoch = { ...facts.groups[0]!, height: -1 };
    const rows = new FactsRows();
    expect(rows.add(encodeFactsGroup(epoch))).toMatchObject({ kind: 'epoch', height: -1 });
    expect(rows.batches()).toEqual([]);
  });

  it('refuses a damaged group, or gives what its decoder gives', async () => {
    const seed = testSeed();
    await seeded(seed, async () => {
      let refused = 0;
      for (let run = 0; run < scaled(400); run++) {
        const random = new SeededRandom(seed + run);
        const groups = history(random);
        const group = groups[random.below(groups.length)]!;
        const bytes = encodeFactsGroup(group).slice();
        bytes[random.below(bytes.length)] = random.below(256);
        const rows = new FactsRows();
        try {
          rows.add(bytes);
        } catch (error) {
          refused++;
          expect(error instanceof UndecodableError || error instanceof RangeError).toBe(true);
          continue;
        }
        let decoded: ReturnType<typeof decodeFactsGroup>;
        try {
          decoded = decodeFactsGroup(bytes);
        } catch {
          continue; // only the decoder sees that an entry is listed twice or unused
        }
        expect(rows.batches()).toEqual(encodeTables([decoded]));
      }
      expect(refused).toBeGreaterThan(0);
    });
  });
});
