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

export class Curve {
  @number('Progress along the curve, 0-100; that of `launchpad`.', { minimum: 0, maximum: 100, example: 74.2 })
  progressPercent!: number;

  @text('Address of the pool that is the curve.', { example: EXAMPLE_POOL })
  pool!: string;
}

export class BoardRow extends SearchRow {
  @object(() => Curve, 'The curve that it was launched on.')
  curve!: Curve;
}

export class BoardAnswer {
  @list(() => BoardRow, 'In the order of the board. The list ends only where `next` is null.')
  data!: BoardRow[];

  @textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null })
  next!: string | null;

  @object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.')
  meta!: ChainsMeta;
}
