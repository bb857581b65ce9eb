import type { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';

/** Pools as plain values, sorted by id: what a book and a fold can be compared by. */
export type PlainPools = { record: PoolRecord; state: PoolStateFact }[];

export function poolsOfFold(fold: ChainFold): PlainPools {
  return [...fold.poolIds()].sort().map((id) => fold.pool(id)!);
}

export function poolsOfBook(book: PoolBook): PlainPools {
  const pools = [...book.pools()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return pools.map((pool) => ({ record: pool.record, state: pool.whole() }));
}

/** The book's own views of its pools agree with each other. */
export function checkGraph(book: PoolBook): void {
  const byToken = new Map<string, Set<string>>();
  let size = 0;
  for (const pool of book.pools()) {
    size++;
    if (book.pool(pool.id) !== pool) throw new Error(`pool ${pool.id} is not found under its id`);
    for (const token of [pool.token0, pool.token1]) {
      const ids = byToken.get(token) ?? new Set();
      byToken.set(token, ids.add(pool.id));
    }
  }
  if (size !== book.size) throw new Error(`${size} pools, size ${book.size}`);
  for (const [token, ids] of byToken) {
    const found = [...book.poolsOf(token)].map((pool) => pool.id);
    if (found.length !== ids.size || found.some((id) => !ids.has(id))) throw new Error(`pools of ${token} differ`);
  }
}
