import { extendPayload, payload } from '../schema/property.js';
import { ChainsMeta } from './chain-body.js';
import { EXAMPLE_CHAIN, EXAMPLE_POOL } from './examples.js';
import { list, number, object, text, textOrNull } from './field.js';
import { launchpadNames } from './market-queries.js';
import { choice, cursorText, limit, requiredWord, word } from './query-field.js';
import { SearchRow } from './search-body.js';

export const boardNames = ['new', 'graduating', 'graduated'] as const;
export type BoardName = (typeof boardNames)[number];

/** A board named in a path. */
export class BoardPath {
  @requiredWord(
    'board',
    '`new`: launched and not graduated, the newest first. `graduating`: at least 70 % of the curve and a trade in the last hour of block time, the furthest first. `graduated`: the last to graduate first.',
    100,
    { enum: [...boardNames] },
  )
  board!: string;
}

export class BoardQuery {
  @word('chain', 'Slug, alias or id of a chain; without it all chains that are served now.', 100, {
    examples: [EXAMPLE_CHAIN],
  })
  chain?: string;

  @choice('launchpad', launchpadNames, 'Only tokens of this launchpad.')
  launchpad?: string;

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}

class Curve extends payload({
  progressPercent: number('Progress along the curve, 0-100; that of `launchpad`.', {
    minimum: 0,
    maximum: 100,
    example: 74.2,
  }),
  pool: text('Address of the pool that is the curve.', { example: EXAMPLE_POOL }),
}) {}

export class BoardRow extends extendPayload(SearchRow, {
  curve: object(() => Curve, 'The curve that it was launched on.'),
}) {}

export class BoardAnswer extends payload({
  data: list(() => BoardRow, 'In the order of the board. The list ends only where `next` is null.'),
  next: textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null }),
  meta: object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.'),
}) {}
