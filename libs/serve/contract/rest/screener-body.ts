import { extendPayload, payload } from '../schema/property.js';
import { ChainsMeta } from './chain-body.js';
import { list, number, object, textOrNull } from './field.js';
import { SearchRow } from './search-body.js';
import { TokenStats } from './token-stats.js';

export class ScreenerRow extends extendPayload(SearchRow, {
  stats: object(() => TokenStats, 'Trading over windows of block time that end at the block of `meta`.'),
  score: number(
    'Activity in the window asked for: ln(1 + volumeUsd) × ln(1 + buyers + sellers), so that neither one large trade nor many tiny ones lead; of volume at most 20 times `exitUsd`, and at most one wallet for every 10 USD of it.',
    { example: 119.7 },
  ),
}) {}

export class TrendingAnswer extends payload({
  data: list(
    () => ScreenerRow,
    'The highest `score` first, the deeper token first among equals; of the first ten the one with the least `exitUsd` is the tenth. Tokens without a trade in the window, with a thin price, stablecoins and the coins of the chains are left out. The list ends only where `next` is null.',
  ),
  next: textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null }),
  meta: object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.'),
}) {}

export class ScreenerAnswer extends payload({
  data: list(() => ScreenerRow, 'In the order asked for. The list ends only where `next` is null.'),
  next: textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null }),
  meta: object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.'),
}) {}
