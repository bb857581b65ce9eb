import { bookOf, poolOf, routedSwaps } from '../test/recorded-pool.js';
import { hopAccounts } from './hop-accounts.js';

/** What a hop needs is worked out once for each reading of its pool that differs, and for each direction. */
it.each(routedSwaps())('%s: the accounts of a hop are kept while those of its pool are the same', (venue, swaps) => {
  for (const swap of swaps.slice(0, 4)) {
    const pool = poolOf(venue, swap);
    const accountsOf = hopAccounts(bookOf(pool));
    const wallet = { user: '11'.repeat(32), input: '22'.repeat(32), output: '33'.repeat(32) };
    const ends = [pool.token0, pool.token1];
    const first = ends.map((token) => accountsOf(pool.id, token)!);
    expect(ends.map((token) => accountsOf(pool.id, token) === first[ends.indexOf(token)])).toEqual([true, true]);
    const lists = first.map((each) => each.list(wallet));
    // A swap in one direction alone is enough for a pool to be routed.
    expect(lists.some((list) => list !== null)).toBe(true);

    const account = swap.known.get(pool.address)!;
    const known = new Map(swap.known).set(pool.address, { ...account, lamports: account.lamports + 1n });
    expect(pool.take({ moment: { ...swap.at, slot: swap.at.slot + 1n }, askedAt: 0, known })).toBe('changed');
    const next = ends.map((token) => accountsOf(pool.id, token)!);
    expect(next.map((each, n) => each === first[n])).toEqual([false, false]);
    expect(next.map((each) => each.list(wallet))).toEqual(lists);

    pool.distrust();
    expect(accountsOf(pool.id, pool.token0)).toBeNull();
  }
});
