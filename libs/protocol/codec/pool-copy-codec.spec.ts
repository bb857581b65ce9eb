import { readFileSync } from 'node:fs';
import { UndecodableError } from '#libs/core/errors.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { PoolCopy } from '../pool-copy.js';
import { encodeBlocksGroup } from './blocks-codec.js';
import { peekBlockSource } from './peek-block-source.js';
import {
  decodePart,
  decodePoolCopy,
  decodePoolMark,
  encodePoolCopy,
  encodePoolMark,
  samePoolPart,
} from './pool-copy-codec.js';
import { poolRecordView } from './pool-copy-json.js';
import { goldenPoolCopies, goldenPoolMark } from './test/golden-pools.js';
import { RandomGroups } from './test/random-groups.js';

const baseSeed = testSeed(1);

function forSeeds(count: number, run: (source: RandomGroups) => void): void {
  for (let i = 0; i < Math.max(1, Math.round(count * scale)); i++) {
    const seed = baseSeed * 1_000_003 + i;
    try {
      run(new RandomGroups(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
}

function decodeParts(pool: string, values: readonly Uint8Array[]): PoolCopy | null {
  return decodePoolCopy(pool, values[0]!, (index) => values[index]);
}

const valuesOf = (copy: PoolCopy, partBytes?: number): Uint8Array[] =>
  encodePoolCopy(copy, partBytes).map(({ value }) => value);

describe('records of pools', () => {
  it('come back exactly, in one part or in many', () => {
    forSeeds(3_000, (source) => {
      const copy = source.poolCopy();
      const partBytes = source.pick([undefined, 1, 7, 64, 1_000]);
      const parts = encodePoolCopy(copy, partBytes);
      expect(parts.map(({ key }) => key)).toEqual(
        parts.map((_, index) => (index === 0 ? copy.record.pool : `${copy.record.pool}/${index}`)),
      );
      const values = parts.map(({ value }) => value);
      expect(decodeParts(copy.record.pool, values)).toStrictEqual(copy);
      expect(valuesOf(decodeParts(copy.record.pool, values)!, partBytes)).toEqual(values);
    });
  });

  it('say no copy when a part is missing or of another seq', () => {
    forSeeds(300, (source) => {
      const copy = source.poolCopy();
      const values = valuesOf(copy, 9);
      const gone = 1 + source.int(values.length - 1);
      expect(decodePoolCopy(copy.record.pool, values[0]!, (at) => (at === gone ? undefined : values[at]))).toBeNull();
      const later = valuesOf({ ...copy, seq: copy.seq + 1 }, 9);
      expect(decodePoolCopy(copy.record.pool, values[0]!, (at) => (at === gone ? later[at] : values[at]))).toBeNull();
      expect(values.every((value, at) => samePoolPart(value, later[at]!))).toBe(true);
      const other = { ...copy, state: { ...copy.state, anchored: !copy.state.anchored, setApart: null } };
      expect(valuesOf(other, 9).every((value, at) => samePoolPart(value, values[at]!))).toBe(false);
    });
  });

  it('are refused under another key, cut short, prolonged or changed into what no encoder writes', () => {
    let refused = 0;
    let accepted = 0;
    forSeeds(3_000, (source) => {
      const copy = source.poolCopy();
      const [bytes] = valuesOf(copy);
      const pool = copy.record.pool;
      expect(() => decodeParts('00'.repeat(19), [bytes!])).toThrow(UndecodableError);
      const cut = bytes!.subarray(0, source.int(bytes!.length));
      expect(() => decodeParts(pool, [cut])).toThrow(UndecodableError);
      expect(() => decodeParts(pool, [Buffer.concat([bytes!, Buffer.of(source.int(256))])])).toThrow(UndecodableError);
      const flipped = Buffer.from(bytes!);
      const at = source.int(flipped.length);
      flipped[at]! ^= 1 << source.int(8);
      try {
        const decoded = decodeParts(pool, [flipped]);
        // Another number of parts: the rest of them is not there.
        if (decoded !== null) expect(valuesOf(decoded)).toEqual([new Uint8Array(flipped)]);
        accepted++;
      } catch (error) {
        if (!(error instanceof UndecodableError)) throw error;
        refused++;
      }
    });
    expect(refused).toBeGreaterThan(0);
    expect(accepted).toBeGreaterThan(0);
  });

  it('the mark comes back exactly and is refused when it is cut or prolonged', () => {
    forSeeds(300, (source) => {
      const mark = source.poolMark();
      const bytes = encodePoolMark(mark);
      expect(decodePoolMark(bytes)).toStrictEqual(mark);
      expect(() => decodePoolMark(bytes.subarray(0, source.int(bytes.length)))).toThrow(UndecodableError);
      expect(() => decodePoolMark(Buffer.concat([bytes, Buffer.of(0)]))).toThrow(UndecodableError);
      expect(() => decodePart(bytes)).toThrow(UndecodableError);
    });
  });

  it('never hold a part of the ticks, nor the state of another pool', () => {
    const copy = goldenPoolCopies.concentrated!;
    const { concentrated } = copy.state;
    const some = { ...copy.state, concentrated: { ...concentrated!, ticksComplete: false } };
    expect(() => encodePoolCopy({ ...copy, state: some })).toThrow('a part of the ticks');
    expect(() => encodePoolCopy({ ...copy, state: { ...copy.state, pool: '00' } })).toThrow('with the record of');
    expect(() => encodePoolCopy({ ...copy, state: { ...copy.state, concentrated: null } })).toThrow('another state');
  });
});

describe('records of pools for people', () => {
  it('tell a copy with all its parts, name the further ones, and say what cannot be read', () => {
    const copy = goldenPoolCopies.concentrated!;
    const records = new Map(encodePoolCopy(copy, 100).map(({ key, value }) => [key, value]));
    const { pool } = copy.record;
    const view = (key: string, value = records.get(key)!) => poolRecordView(key, value, records);
    expect(view(pool)).toMatchObject({
      seq: copy.seq,
      record: copy.record,
      state: { concentrated: { ticks: [{ liquidityNet: '1000' }, { liquidityNet: '-1000' }] } },
    });
    expect(view(`${pool}/1`)).toEqual({ seq: copy.seq, part: 1, parts: records.size });
    expect(view('@', encodePoolMark(goldenPoolMark))).toEqual(goldenPoolMark);
    records.delete(`${pool}/1`);
    expect(view(pool)).toEqual({ seq: copy.seq, part: 0, parts: records.size + 1 });
    expect(view(pool, Buffer.from('{}'))).toEqual({
      undecodable: expect.stringContaining('not a record'),
      base64: 'e30=',
    });
  });
});

describe('golden bytes of version 1', () => {
  const golden = JSON.parse(readFileSync(new URL('./fixtures/pools-v1.json', import.meta.url), 'utf8')) as {
    mark: string;
    copies: Record<string, string>;
  };

  for (const [name, copy] of Object.entries(goldenPoolCopies)) {
    it(`copy of a ${name} pool`, () => {
      expect(valuesOf(copy).map((value) => Buffer.from(value).toString('hex'))).toEqual([golden.copies[name]]);
      expect(decodeParts(copy.record.pool, [Buffer.from(golden.copies[name]!, 'hex')])).toStrictEqual(copy);
    });
  }

  it('mark', () => {
    expect(Buffer.from(encodePoolMark(goldenPoolMark)).toString('hex')).toBe(golden.mark);
    expect(decodePoolMark(Buffer.from(golden.mark, 'hex'))).toStrictEqual(goldenPoolMark);
  });
});

describe('how a block was seen', () => {
  it('is read without the block', () => {
    let blocks = 0;
    forSeeds(1_000, (source) => {
      const group = source.blocks();
      const expected = group.kind === 'block' ? { source: group.source, observedAt: group.observedAt } : null;
      if (expected !== null) blocks++;
      expect(peekBlockSource(encodeBlocksGroup(group))).toEqual(expected);
    });
    expect(blocks).toBeGreaterThan(0);
  });
});
