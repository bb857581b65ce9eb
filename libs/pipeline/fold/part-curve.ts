import { exitKnots } from '#libs/chain/amm/exit-knots.js';
import type { RangedPool } from '#libs/chain/amm/quote-depth.js';
import { least } from '#libs/core/bigint-order.js';
import { type E36, ONE_E36, pow10 } from '#libs/core/money.js';
import { type PoolKind, poolKinds } from '#libs/protocol/blocks.js';
import { baseAt, exitOf, type KnownCurve, type PartCurve, type PricePart, writtenPart } from './backing.js';
import type { TablePool, TokenEntry } from './token-table.js';

/** A pool as the token is seen in it that is sold there. */
export interface SoldPool {
  readonly kind: PoolKind;
  readonly isToken0: boolean;
  readonly spot: E36;
  readonly base: bigint;
  readonly quote: bigint;
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  /** Null where its liquidity is not in ranges that are known. */
  readonly ranged: RangedPool | null;
  /** How much of either token is behind the price. */
  depth(ofBase: boolean): bigint;
}

/** What a sale of a token into a pool brings. */
export const curveOf = (pool: SoldPool): PartCurve =>
  pool.ranged === null ? productCurve(pool) : rangedCurve(pool, pool.ranged);

/** How a pool of the fold backs the price of a token, at its state as it is. Both decimals are known. Held until the pool changes. */
export function pricePart(pool: TablePool, token: TokenEntry, spot: E36): PricePart {
  const known = knownCurve(pool, token, spot);
  const { id: quote, decimals } = pool.other(token);
  if (known.part?.quoteDecimals !== decimals) known.part = writtenPart(pool.id, quote, decimals!, spot, known.curve);
  return known.part!;
}

function knownCurve(pool: TablePool, token: TokenEntry, spot: E36): KnownCurve {
  const side = token === pool.token0 ? 0 : 1;
  const known = pool.curves[side];
  if (known?.changes === pool.changes && known.spot === spot) return known;
  const quoteToken = pool.other(token);
  const curve = curveOf({
    kind: pool.record.kind,
    isToken0: side === 0,
    spot,
    base: pool.reserveOf(token),
    quote: pool.reserveOf(quoteToken),
    baseDecimals: token.decimals!,
    quoteDecimals: quoteToken.decimals!,
    ranged: pool.inRanges ? pool.ranged() : null,
    depth: (ofBase) => pool.depthOf(ofBase ? token : quoteToken),
  });
  const made: KnownCurve = { changes: pool.changes, spot, curve, part: null };
  pool.curves[side] = made;
  return made;
}

/** What is behind the pool's price of a token: its quote side, of liquidity in ranges what is near the price. */
export function backedDepth(pool: TablePool, token: TokenEntry, spot: E36): bigint {
  // The walk over the ranges is the same one.
  return pool.inRanges ? exitOf(knownCurve(pool, token, spot).curve) : pool.depthOf(pool.other(token));
}

/** Of any curve the one of constant product that is below it: with this quote side, and the base side that its spot asks for. */
function productCurve({ kind, spot, base, baseDecimals, quoteDecimals, depth }: SoldPool): PartCurve {
  const quote = depth(false);
  if (kind === 'constant-product') return { form: 'product', base, quote };
  const form = poolKinds[kind].setsPrice === 'always' ? 'launch' : 'product';
  return { form, base: baseAt(spot, quote, baseDecimals, quoteDecimals), quote };
}

/** No more than what the pool holds. */
function rangedCurve(pool: SoldPool, ranged: RangedPool): PartCurve {
  const { spot, quote, baseDecimals, quoteDecimals } = pool;
  const { sold, brought } = exitKnots(ranged, pool.isToken0);
  const [b2, b10, b75] = brought;
  return {
    form: 'ranges',
    down: (least(b75, quote) * pow10(baseDecimals) * ONE_E36) / (spot * pow10(quoteDecimals)),
    up: pool.depth(true),
    knots: { sold, brought: [least(b2, quote), least(b10, quote), least(b75, quote)] },
  };
}
