import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { KeyedRow, KeyField, ValueField } from './keyed-form.js';
import { keyedFolds } from './registry.js';
import { compileRowCodec } from './row-codec.js';

const baseSeed = testSeed();
const rounds = scaled(2_000, 200);

/** Values at both ends of each kind, and others. */
function randomValue(random: SeededRandom, kind: ValueField['kind']): string | number | bigint {
  if (kind === 'amount') return random.pick([0n, 1n, (1n << 256n) - 1n, random.bits(256)]);
  if (kind === 'unsigned') return random.pick([0, 1, Number.MAX_SAFE_INTEGER, random.int(2, 2 ** 31)]);
  if (kind === 'id') return random.hex(random.pick([0, 20, 32, 255]));
  return random.pick(['', 'uniswap-v2', 'ärger', 'x'.repeat(255)]);
}

const ZEROS = { amount: 0n, unsigned: 0, id: '', label: '' };

/** Another value than zero. */
const OTHERS = { amount: 1n << 255n, unsigned: 2 ** 40, id: '00', label: '0' };

it(`rows come back from the state as they went (seed ${baseSeed})`, () => {
  const random = new SeededRandom(baseSeed);
  expect(keyedFolds.length).toBeGreaterThan(3);
  for (const { form, codec } of keyedFolds) {
    const fields = [...form.key, ...form.values];
    const rows: KeyedRow[] = Array.from({ length: rounds }, () =>
      Object.fromEntries(fields.map(({ name, kind }) => [name, randomValue(random, kind)])),
    );
    const zeros = Object.fromEntries(form.values.map(({ name, kind }) => [name, ZEROS[kind]]));
    for (const row of rows) {
      expect(codec.decode(codec.encode(row).slice())).toEqual(row);
      const zero = { ...row, ...zeros };
      expect(codec.zeroRow(codec.keyOf(row))).toEqual(zero);
      expect(codec.zeroOf(row)).toEqual(zero);
      expect(codec.isZero(zero)).toBe(true);
      expect(codec.sameValues(row, { ...row })).toBe(true);
    }
    for (const { name, kind } of form.values) {
      const other: KeyedRow = { ...rows[0], ...zeros, [name]: OTHERS[kind] };
      expect([name, codec.isZero(other)]).toEqual([name, false]);
      expect([name, codec.sameValues(other, { ...other, [name]: ZEROS[kind] })]).toEqual([name, false]);
    }
  }
});

it('a name that is no name of a field, and a part of a key that is too long, are refused', () => {
  const key: KeyField[] = [{ name: 'token', kind: 'id', column: 'id' }];
  const values = (name: string): ValueField[] => [{ name, kind: 'amount', column: 'uint256' }];
  expect(() => compileRowCodec({ key, values: values('amount) { run()') })).toThrow('no name of a field');
  expect(() => compileRowCodec({ key, values: values('amount') }).keyOf({ token: 'aa'.repeat(256) })).toThrow(
    '255 at most',
  );
});
