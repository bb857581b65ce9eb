import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { movedBalances } from './moved-balances.js';
import { SolanaTransaction, type TokenBalance } from './transaction.js';

const transaction = (before: TokenBalance[], after: TokenBalance[], failed = false): SolanaTransaction =>
  new SolanaTransaction('', 1, failed, ['payer', 'a', 'b', 'c'], 1, [], 0n, [], [], before, after, []);
const balance = (account: number, mint: string, owner: string, amount: bigint): TokenBalance => ({
  account,
  mint,
  owner,
  amount,
});

test('changes are by owner over all its accounts, in account order; an account without an owner is its own', () => {
  const before = [balance(1, 'M', 'x', 10n), balance(2, 'M', 'y', 4n), balance(3, 'M', '', 7n)];
  const after = [balance(0, 'N', 'x', 5n), balance(1, 'M', 'x', 3n), balance(2, 'M', 'z', 6n), balance(3, 'M', '', 7n)];
  expect(movedBalances(transaction(before, after))).toEqual([
    { mint: 'N', owners: [{ owner: 'x', change: 5n }] },
    {
      mint: 'M',
      owners: [
        { owner: 'x', change: -7n },
        { owner: 'y', change: -4n },
        { owner: 'z', change: 6n },
        { owner: 'c', change: 0n },
      ],
    },
  ]);
});

test('a failed transaction moves nothing', () => {
  expect(movedBalances(transaction([balance(1, 'M', 'x', 10n)], [], true))).toEqual([]);
});

test.each(propertySeeds(scaled(300, 20)))(
  'changes add up to what was minted less what was burned (seed %i)',
  (seed) => {
    const random = new SeededRandom(seed);
    const side = (): TokenBalance[] =>
      Array.from({ length: 8 }, (_, account) =>
        balance(account, random.pick(['M', 'N']), random.pick(['x', 'y', 'z']), BigInt(random.int(0, 1000))),
      ).filter(() => random.chance(0.7));
    const [before, after] = [side(), side()];
    const total = (entries: TokenBalance[], mint: string, owner?: string): bigint =>
      entries
        .filter((each) => each.mint === mint && (owner === undefined || each.owner === owner))
        .reduce((sum, { amount }) => sum + amount, 0n);
    const moved = movedBalances(transaction(before, after));
    for (const mint of ['M', 'N']) {
      const owners = moved.find((each) => each.mint === mint)?.owners ?? [];
      expect(owners.reduce((sum, { change }) => sum + change, 0n)).toBe(total(after, mint) - total(before, mint));
      for (const owner of ['x', 'y', 'z']) {
        const change = owners.find((each) => each.owner === owner)?.change ?? 0n;
        expect(change).toBe(total(after, mint, owner) - total(before, mint, owner));
      }
    }
  },
);
