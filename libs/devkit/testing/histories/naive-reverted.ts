import type { ChainEvent } from '#libs/protocol/blocks.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { NaivePool } from './naive-pool.js';
import type { NaivePrices } from './naive-prices.js';

/** The rule for what a block undid (docs/spikes.md), word by word: every trade against every price before it. */
export interface PoolStep {
  event: ChainEvent;
  /** The pool as the event found it, and as it left it. */
  before: NaivePool;
  after: NaivePool;
  trade: TradeFact | null;
}

type Fraction = [bigint, bigint];

/** `end`: the pool at the end of the block. */
export function markReverted(steps: PoolStep[], end: NaivePool, prices: NaivePrices, family: 'evm' | 'solana'): void {
  const byVaults = family === 'solana' && end.record.kind === 'constant-product';
  const starts: bigint[] = [];
  for (const [at, { event, before, after, trade }] of steps.entries()) {
    if (event.kind !== 'swap' || trade === null) continue;
    const from = byVaults
      ? insideTransaction(steps, at)
      : at > 0 && isStatement(steps[at - 1]!)
        ? steps[at - 1]!.before
        : before;
    const to = byVaults ? withAmounts(from, event.amount0, event.amount1) : after;
    const [start, left, last] = [from, to, end].map((pool) => prices.spot(pool, trade.base));
    if (start) starts.push(start);
    if (!start || !left || !last || trade.volumeUsd === null) continue;
    const E36 = 10n ** 36n;
    let price: Fraction = [
      trade.quoteAmount * 10n ** BigInt(trade.baseDecimals) * E36,
      trade.baseAmount * 10n ** BigInt(trade.quoteDecimals),
    ];
    const [low, high] = start < left ? [start, left] : [left, start];
    if (price[0] < low * price[1]) price = [low, 1n];
    if (price[0] > high * price[1]) price = [high, 1n];
    const far = timesApart(price, [last, 1n]);
    if (10n * far[0] <= 11n * far[1]) continue;
    const back = starts.some((spot) => {
      const gone = timesApart([spot, 1n], price);
      const off = timesApart([spot, 1n], [last, 1n]);
      return off[0] ** 5n * gone[1] < gone[0] * off[1] ** 5n;
    });
    if (back) trade.uncounted = 'reverted';
  }
}

const isStatement = ({ event }: PoolStep): boolean => event.kind === 'reserves' || event.kind === 'vaults';

/** From the state before the transaction, whose outcome comes first, with the amounts of its swaps so far. */
function insideTransaction(steps: PoolStep[], at: number): NaivePool {
  const outcome = steps.slice(0, at).findLastIndex(isStatement);
  let pool = steps[Math.max(outcome, 0)]!.before;
  for (const { event } of steps.slice(outcome + 1, at))
    if (event.kind === 'swap') pool = withAmounts(pool, event.amount0, event.amount1);
  return pool;
}

function withAmounts(pool: NaivePool, amount0: bigint, amount1: bigint): NaivePool {
  const { reserve0, reserve1 } = pool;
  if (reserve0 <= 0n || reserve1 <= 0n) return pool;
  return { ...pool, reserve0: reserve0 + amount0, reserve1: reserve1 + amount1 };
}

const timesApart = ([a, b]: Fraction, [c, d]: Fraction): Fraction => (a * d > c * b ? [a * d, c * b] : [c * b, a * d]);
