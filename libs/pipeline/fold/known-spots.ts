import { type PoolSpot, poolSpot, type SpotState } from '#libs/chain/amm/pool-spot.js';
import type { E36 } from '#libs/core/money.js';
import type { PoolKind } from '#libs/protocol/blocks.js';

/** What a spot follows from, and how often it was set. */
interface PricedState {
  readonly sqrtPriceX96: bigint;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly changes: number;
}

/** Spot of one side as it was computed after that many changes; undefined: not asked for yet. */
interface KnownSpot {
  changes: number;
  baseDecimals: number;
  quoteDecimals: number;
  exact: E36 | null | undefined;
  rough: number | undefined;
}

/** The last spot of each side of a pool: a state is asked several times before it moves. */
export class KnownSpots {
  private readonly known: [KnownSpot | null, KnownSpot | null] = [null, null];
  private readonly spot: PoolSpot;

  constructor(kind: PoolKind) {
    this.spot = poolSpot(kind);
  }

  exact(pool: PricedState, baseIsToken0: boolean, base: number | null, quote: number | null): E36 | null {
    const known = this.of(pool, baseIsToken0, base, quote);
    if (known === null) return null;
    if (known.exact === undefined) known.exact = this.spot.exact(seenFrom(pool, baseIsToken0, known));
    return known.exact;
  }

  rough(pool: PricedState, baseIsToken0: boolean, base: number | null, quote: number | null): number {
    const known = this.of(pool, baseIsToken0, base, quote);
    if (known === null) return Number.NaN;
    if (known.rough === undefined) known.rough = this.spot.rough(seenFrom(pool, baseIsToken0, known));
    return known.rough;
  }

  /** What is known of the spot in this state; null without decimals. */
  private of(
    { changes }: PricedState,
    baseIsToken0: boolean,
    baseDecimals: number | null,
    quoteDecimals: number | null,
  ): KnownSpot | null {
    if (baseDecimals === null || quoteDecimals === null) return null;
    const side = baseIsToken0 ? 0 : 1;
    const known = this.known[side];
    if (known?.changes === changes && known.baseDecimals === baseDecimals && known.quoteDecimals === quoteDecimals)
      return known;
    const next: KnownSpot = { changes, baseDecimals, quoteDecimals, exact: undefined, rough: undefined };
    this.known[side] = next;
    return next;
  }
}

function seenFrom(
  { sqrtPriceX96, reserve0, reserve1 }: PricedState,
  baseIsToken0: boolean,
  { baseDecimals, quoteDecimals }: KnownSpot,
): SpotState {
  const [baseReserve, quoteReserve] = baseIsToken0 ? [reserve0, reserve1] : [reserve1, reserve0];
  return { sqrtPriceX96, baseReserve, quoteReserve, baseIsToken0, baseDecimals, quoteDecimals };
}
