import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { SolanaTransaction, type TokenBalance } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaLaunchStep } from '#libs/chain/market-ports/solana/launches.js';
import type { PoolKind } from '#libs/protocol/blocks.js';
import { SolanaKnownSet } from './known-set.js';
import { reservesAfter } from './vaults.js';

const id = (n: number): string => n.toString(16).padStart(64, '0');
const [POOL, VAULT0, VAULT1] = [id(9), id(10), id(11)];

function after(kind: PoolKind, before: (bigint | null)[], now: (bigint | null)[], launches: SolanaLaunchStep[] = []) {
  const known = new SolanaKnownSet();
  const tokens = { token0: id(1), token1: id(2) };
  const record = { pool: POOL, venue: 'v', kind, ...tokens, feePpm: 0, tickSpacing: 0, created: false };
  known.addPool(record, [VAULT0, VAULT1], 5);
  const balances = (amounts: (bigint | null)[]): TokenBalance[] =>
    amounts.flatMap((amount, account) => (amount === null ? [] : [{ account, mint: 'm', owner: 'o', amount }]));
  const keys = [VAULT0, VAULT1, id(12)].map(solanaIds.formatAddress);
  const tx = new SolanaTransaction('', 1, false, keys, 1, [], 0n, [], [], balances(before), balances(now), []);
  return [...reservesAfter(tx, [], launches, known).values()].map(({ reserve0, reserve1 }) => [reserve0, reserve1]);
}

test('a vault that is named tells its balance, a closed one 0, another nothing', () => {
  expect(after('constant-product', [5n, 6n], [7n, 6n])).toEqual([[7n, 6n]]);
  expect(after('constant-product', [5n, null], [null, null])).toEqual([[0n, null]]);
  expect(after('concentrated', [null, null], [null, 3n])).toEqual([[null, 3n]]);
  expect(after('concentrated', [null, null, 1n], [null, null, 2n])).toEqual([]);
});

test('the vaults of a curve hold more than its reserves: only an empty one counts', () => {
  expect(after('curve', [5n, 6n], [7n, 6n])).toEqual([]);
  expect(after('curve', [5n, 6n], [0n, 6n])).toEqual([[0n, null]]);
  expect(after('curve', [5n, 6n], [8n, null])).toEqual([[null, 0n]]);
});

test('a curve that went over into a pool holds nothing, whatever its vaults keep', () => {
  const launch = { launchpad: 'l', token: id(1), curve: POOL, progressPpm: 1_000_000 };
  const graduated = { ...launch, step: 'graduated', party: id(20) } as const;
  expect(after('curve', [5n, 6n], [0n, 1n], [graduated])).toEqual([[0n, 0n]]);
  // While its pool is not named, what was raised is still there.
  expect(after('curve', [5n, 6n], [5n, 6n], [{ ...graduated, party: null }])).toEqual([]);
  expect(after('curve', [5n, 6n], [5n, 6n], [{ ...launch, step: 'created', party: id(20) }])).toEqual([]);
  expect(after('curve', [], [], [{ ...graduated, curve: id(30) }])).toEqual([]);
});
