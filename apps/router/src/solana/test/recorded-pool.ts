import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { type GenuineSwap, recordedSwaps } from '#libs/chain/market-ports/solana/test/genuine-swaps.js';
import type { AccountBook } from '#libs/routing/pools/solana/account-book.js';
import { SolanaBookPool } from '#libs/routing/pools/solana/book-pool.js';
import { idOf } from '#programs/client.js';
import { routedVenue } from '../venues/routed-venue.js';

/** A pool of a recorded swap, as the router reads it from its accounts. */
export function poolOf(
  venue: string,
  { order, known, at, mints }: GenuineSwap,
  accounts: KnownAccounts = known,
): SolanaBookPool {
  const [token0, token1] = mints.map(idOf).sort() as [string, string];
  const record = {
    ...{ pool: idOf(order.pool), venue, kind: 'constant-product' as const, token0, token1 },
    ...{ feePpm: 0, tickSpacing: 0, created: false },
  };
  const pool = new SolanaBookPool(record, routedVenue(solanaModule(venue)!)!, { now: () => 0, maxAgeMs: 1 });
  while (pool.take({ moment: at, askedAt: 0, known: accounts }) === 'more');
  return pool;
}

export const bookOf = (...pools: SolanaBookPool[]): AccountBook =>
  ({ pool: (id: string) => pools.find((pool) => pool.id === id) ?? null }) as unknown as AccountBook;

/** Swaps of the venues that routes go over, as recorded from their deployed programs. */
export const routedSwaps = (): [string, readonly GenuineSwap[]][] =>
  [...recordedSwaps()].filter(([venue]) => solanaModule(venue)?.swapKind !== undefined);
