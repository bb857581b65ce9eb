import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { movements } from './transfers.js';

const owners = (...changes: bigint[]) => changes.map((change, n) => ({ owner: `o${n}`, change }));
function of(...changes: bigint[]): { from: string | null; to: string | null; amount: bigint }[] {
  const found: ReturnType<typeof of> = [];
  movements({ mint: 'M', owners: owners(...changes) }, (from, to, amount) => found.push({ from, to, amount }));
  return found;
}

test('owners that lost are paired with owners that gained in account order; the rest has nobody on its other side', () => {
  expect(of(-10n, 4n, 6n)).toEqual([
    { from: 'o0', to: 'o1', amount: 4n },
    { from: 'o0', to: 'o2', amount: 6n },
  ]);
  expect(of(5n, -2n, 0n, -4n)).toEqual([
    { from: 'o1', to: 'o0', amount: 2n },
    { from: 'o3', to: 'o0', amount: 3n },
    { from: 'o3', to: null, amount: 1n },
  ]);
  expect(of(7n, -3n)).toEqual([
    { from: 'o1', to: 'o0', amount: 3n },
    { from: null, to: 'o0', amount: 4n },
  ]);
  expect(of(0n, 0n)).toEqual([]);
});

test.each(propertySeeds(scaled(500, 30)))('movements give back every change (seed %i)', (seed) => {
  const random = new SeededRandom(seed);
  const changes = Array.from({ length: random.int(0, 9) }, () => BigInt(random.int(-20, 20)));
  if (random.chance(0.5)) changes.push(-changes.reduce((sum, change) => sum + change, 0n));
  const total = changes.reduce((sum, change) => sum + change, 0n);
  const sums = new Map<string | null, bigint>();
  for (const { from, to, amount } of of(...changes)) {
    expect(amount > 0n && from !== to).toBe(true);
    sums.set(from, (sums.get(from) ?? 0n) - amount);
    sums.set(to, (sums.get(to) ?? 0n) + amount);
  }
  for (const [n, change] of changes.entries()) expect(sums.get(`o${n}`) ?? 0n).toBe(change);
  expect(sums.get(null) ?? 0n).toBe(-total);
  if (total === 0n) expect(sums.has(null)).toBe(false);
});
