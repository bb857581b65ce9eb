import { exitKnots } from '#libs/chain/amm/exit-knots.js';
import { least } from '#libs/core/bigint-order.js';
import { type E36, ONE_E36, pow10 } from '#libs/core/money.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import { baseAt, exitOf, type PartCurve } from './backing.js';
import type { TablePool, TokenEntry } from './token-table.js';

/** What a sale of a token into a pool brings, at its state as it is. Both decimals are known. Held until the pool changes. */
export function partCurve(pool: TablePool, token: TokenEntry, spot: E36): PartCurve {
  const side = token === pool.token0 ? 0 : 1;
  const known = pool.curves[side];
  if (known?.changes === pool.changes && known.spot === spot) return known.curve;
  const curve = pool.inRanges ? rangedCurve(pool, token, spot) : productCurve(pool, token, spot);
  pool.curves[side] = { changes: pool.changes, spot, curve };
  return curve;
}

/** What is behind the pool's price of a token: its quote side, of liquidity in ranges what is near the price. */
export function backedDepth(pool: TablePool, token: TokenEntry, spot: E36): bigint {
  // The walk over the ranges is the same one.
  return pool.inRanges ? exitOf(partCurve(pool, token, spot)) : pool.depthOf(pool.other(token));
}

/** Of any curve the one of constant product that is below it: with this quote side, and the base side that its spot asks for. */
function productCurve(pool: TablePool, token: TokenEntry, spot: E36): PartCurve {
  const quoteToken = pool.other(token);
  const quote = pool.depthOf(quoteToken);
  const { kind } = pool.record;
  if (kind === 'constant-product') return { form: 'product', base: pool.reserveOf(token), quote };
  const base = baseAt(spot, quote, token.decimals!, quoteToken.decimals!);
  return { form: poolKinds[kind].setsPrice === 'always' ? 'launch' : 'product', base, quote };
}

/** No more than what the pool holds. */
function rangedCurve(pool: TablePool, token: TokenEntry, spot: E36): PartCurve {
  const quoteToken = pool.other(token);
  const { sold, brought } = exitKnots(pool.ranged(), token === pool.token0);
  const quote = pool.reserveOf(quoteToken);
  const [b2, b10, b75] = brought;
  return {
    form: 'ranges',
    down: (least(b75, quote) * pow10(token.decimals!) * ONE_E36) / (spot * pow10(quoteToken.decimals!)),
    up: pool.depthOf(token),
    knots: { sold, brought: [least(b2, quote), least(b10, quote), least(b75, quote)] },
  };
}
