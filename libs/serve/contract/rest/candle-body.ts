import { payload } from '../schema/property.js';
import { CandleInputs } from './explain-body.js';
import { integer, list, number, numberOrNull, object, optionalObject, textOrNull } from './field.js';
import { Meta } from './meta.js';

export class CandleBody extends payload({
  time: integer('Start of the candle, Unix ms.', { example: 1_730_000_000_000 }),
  open: numberOrNull(
    'Price of the first counted trade; with `continuous` the close before it. Null without a counted trade.',
    { example: 2_510.1 },
  ),
  high: numberOrNull('Highest counted price.', { example: 2_515 }),
  low: numberOrNull('Lowest counted price.', { example: 2_509.75 }),
  close: numberOrNull('Price of the last counted trade.', { example: 2_513.42 }),
  volumeUsd: number('Volume in USD of all trades but those that their block undid.', { example: 12_031_500.25 }),
  volumeNative: number('The same in the coin of the chain, at its price at each trade.', { example: 4_786.9 }),
  loopVolumeUsd: number('Volume in USD of trades that their block undid (docs/spikes.md): in no other sum.', {
    example: 0,
  }),
  trades: integer('Number of trades, counted or not.', { example: 5_210 }),
  buys: integer('How many of them bought.', { example: 2_702 }),
  sells: integer('How many of them sold.', { example: 2_508 }),
  explain: optionalObject(
    () => CandleInputs,
    'With `explain=1`: the trades that its prices are of. Volumes and numbers are those of all trades between its start and its end.',
  ),
}) {}

export class CandlesAnswer extends payload({
  data: list(() => CandleBody, 'Ascending in time.'),
  next: textOrNull('Pass it back unchanged as `cursor` for the candles before these; null at the end.', {
    example: null,
  }),
  meta: object(() => Meta, 'The state this page, and every page after it, was read from.'),
}) {}
