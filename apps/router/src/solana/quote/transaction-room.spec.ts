import { createHash } from 'node:crypto';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaRouteHop } from '#libs/routing/search/solana/solana-route.js';
import { MAX_UNITS } from '#programs/client.js';
import type { QuotedSwap } from '../model/solana-quote.js';
import type { SolanaSwapOrder } from '../model/swap-order.js';
import { planSolanaSwap } from '../swap/swap-plan.js';
import { bookOf, poolOf, routedSwaps } from '../test/recorded-pool.js';
import { encodeTransaction, MAX_BYTES, MAX_KEYS, TransactionLimitError } from '../transaction/v1-transaction.js';
import { type AccountsOfHop, hopAccounts } from '../venues/hop-accounts.js';
import { fitsTransaction, MOST_ENTRIES, transactionUse } from './transaction-room.js';

/**
 * Routes of 1 to 4 legs with 1 to 4 hops over pools of every venue, as recorded from their deployed programs: what is said to fit one
 * transaction does when it is built, whatever the wallet lacks, and little that would fit is refused.
 */
const PROGRAM = 'ab'.repeat(32);
const WALLET = 'cd'.repeat(32);
const FEE_ACCOUNT = 'ef'.repeat(32);
/** Keys that the count may have more than what is built: a native side's own account, and what is in several lists. */
const SPARE_KEYS = 8;
/** Hops of what the router looks for. */
const USUAL_HOPS = 8;

const recorded = routedSwaps().flatMap(([venue, swaps]) => swaps.map((swap) => ({ venue, swap })));
const pools = recorded.map(({ venue, swap }) => ({ venue, swap, pool: poolOf(venue, swap) }));

/** Accounts that belong to one pool have other addresses at every place of a route: as many pools as it takes. */
function anotherPool(place: number, accountsOf: AccountsOfHop): AccountsOfHop {
  const moved = (id: string): string => createHash('sha256').update(`${place} ${id}`).digest('hex');
  return (id, tokenIn) => {
    const accounts = accountsOf(id, tokenIn);
    if (accounts === null) return null;
    return {
      ...accounts,
      list: (user) =>
        accounts
          .list(user)
          ?.map((use) =>
            use.writable && ![user.user, user.input, user.output].includes(use.id)
              ? { ...use, id: moved(use.id) }
              : use,
          ) ?? null,
    };
  };
}

function randomRoute(random: SeededRandom) {
  const byPool = new Map<string, AccountsOfHop>();
  let place = 0;
  const legs = Array.from({ length: random.int(1, 4) }, () =>
    Array.from({ length: random.int(1, 4) }, (): SolanaRouteHop => {
      const { venue, swap, pool } = random.pick(pools);
      const id = (++place).toString(16).padStart(64, '0');
      byPool.set(
        id,
        anotherPool(place, (_, tokenIn) => hopAccounts(bookOf(pool))(pool.id, tokenIn)),
      );
      const zeroForOne = swap.order.aToB === pool.aIsToken0;
      return {
        ...{ pool: { ...pool, id, venue, token0: pool.token0, token1: pool.token1 } as never, zeroForOne },
        ...{
          ...swap.moved,
          fee: 0n,
          feeSide: 'input',
          steps: random.chance(0.8) ? random.int(0, 4) : random.int(5, 150),
        },
      };
    }),
  );
  const accountsOf: AccountsOfHop = (id, tokenIn) => byPool.get(id)!(id, tokenIn);
  return { legs, accountsOf };
}

function orderOf(random: SeededRandom, legs: readonly (readonly SolanaRouteHop[])[], hasFee: boolean): SolanaSwapOrder {
  const ends = (hop: SolanaRouteHop) =>
    hop.zeroForOne ? [hop.pool.token0, hop.pool.token1] : [hop.pool.token1, hop.pool.token0];
  const hopOf = (hop: SolanaRouteHop) => {
    const [tokenIn, tokenOut] = ends(hop) as [string, string];
    return { ...hop, ...{ pool: hop.pool.id, venue: hop.pool.venue, label: hop.pool.venue, tokenIn, tokenOut } };
  };
  const swap: QuotedSwap = {
    ...{ exact: random.pick(['in', 'out'] as const), inputMint: ends(legs[0]![0]!)[0]! },
    ...{ outputMint: ends(legs[0]!.at(-1)!)[1]!, amountIn: 1_000n, amountOut: 1_000n, slippageBps: 50 },
    ...{ feeBps: hasFee ? 10 : 0, feeAmount: 1n, threshold: 990n },
    legs: legs.map((hops) => ({ shareBps: Math.floor(10_000 / legs.length), hops: hops.map(hopOf) })),
  };
  return {
    ...{ swap, wallet: WALLET, wraps: random.chance(0.5), destination: null },
    ...{ feeAccount: hasFee ? FEE_ACCOUNT : null, priority: { kind: 'lamports', lamports: 1n } },
  };
}

/** Bytes and keys of the whole transaction; null where it has more than fit. */
function built(order: SolanaSwapOrder, accountsOf: AccountsOfHop) {
  const plan = planSolanaSwap(PROGRAM, order, accountsOf);
  const instructions = [...plan.needed.map(({ create }) => create), plan.instruction];
  const keys = new Set([
    WALLET,
    ...instructions.flatMap(({ program, accounts }) => [program, ...accounts.map(({ id }) => id)]),
  ]).size;
  const config = {
    computeUnitLimit: MAX_UNITS,
    loadedAccountsDataSizeLimit: 1,
    priorityFeeLamports: 1n,
    heapSize: null,
  };
  const entries = plan.instruction.accounts.length;
  try {
    const { bytes } = encodeTransaction(WALLET, instructions, config, new Uint8Array(32));
    return { keys, entries, bytes: bytes.length as number | null };
  } catch (error) {
    if (!(error instanceof TransactionLimitError)) throw error;
    return { keys, entries, bytes: null };
  }
}

it('what fits by the count fits when it is built, and what does not is over a limit', () => {
  const seed = testSeed(1);
  const random = new SeededRandom(seed);
  const counts = { fits: 0, keys: 0, entries: 0, units: 0 };
  const wanted = scaled(300, 30);
  for (let n = 0; n < 100 * wanted && Math.min(...Object.values(counts)) < wanted / 10; n++) {
    const { legs, accountsOf } = randomRoute(random);
    const hasFee = random.chance(0.5);
    const order = orderOf(random, legs, hasFee);
    const use = transactionUse(accountsOf, legs, hasFee ? 1 : 0)!;
    const real = built(order, accountsOf);
    const where = { seed, n, use, real };
    expect({ where, covers: use.keys >= real.keys && use.entries >= real.entries }).toEqual({ where, covers: true });
    if (legs.flat().length <= USUAL_HOPS)
      expect({ where, close: use.keys - real.keys <= SPARE_KEYS }).toEqual({ where, close: true });
    const fits = fitsTransaction(accountsOf, legs, hasFee ? 1 : 0);
    if (real.bytes !== null) expect({ where, covers: use.bytes >= real.bytes }).toEqual({ where, covers: true });
    if (fits) {
      expect({ where, fits: real.bytes !== null && real.keys <= MAX_KEYS && real.entries <= MOST_ENTRIES }).toEqual({
        where,
        fits: true,
      });
      expect(real.bytes).toBeLessThanOrEqual(MAX_BYTES);
      expect(use.units).toBeLessThanOrEqual(MAX_UNITS);
      counts.fits++;
    } else if (use.keys > MAX_KEYS) counts.keys++;
    else if (use.units > MAX_UNITS) counts.units++;
    if (use.entries > MOST_ENTRIES) {
      expect(fits).toBe(false);
      counts.entries++;
    }
  }
  console.log(`seed ${seed}: ${JSON.stringify(counts)}`);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});
