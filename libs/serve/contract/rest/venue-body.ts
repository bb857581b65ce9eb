import { payload } from '../schema/property.js';
import { chainSlug, integer, list, number, object, text } from './field.js';
import { Meta } from './meta.js';
import { asOf, chainName, wholeNumber } from './query-field.js';

export class VenuePath {
  @chainName()
  chain!: string;
}

export class VenueVolumeQuery {
  @wholeNumber('days', 1, 365, 'a whole number from 1 to 365', {
    description: 'How many days of UTC to go back, that of the block of `meta` included.',
    default: 30,
  })
  days: number = 30;

  @asOf()
  asOfBlock?: number;
}

class VenueVolumeRow extends payload({
  dex: text('Label of the venue.', { example: 'Uniswap V3' }),
  day: text('Day of block time, UTC.', { example: '2026-10-31' }),
  volumeUsd: number(
    'What was traded in USD: the sum over trades whose quote token had a price, without those that their block undid.',
    {
      example: 12_031_500.25,
    },
  ),
  trades: integer('Number of trades, those without a price included.', { example: 5_210 }),
}) {}

export class VenueVolumeAnswer extends payload({
  chain: chainSlug(),
  data: list(
    () => VenueVolumeRow,
    'The newest day first, within a day the largest volume. Days without trades have no row.',
  ),
  meta: object(() => Meta, 'The block that the answer is of.'),
}) {}
