import { CandleInputs } from './explain-body.js';
import { integer, list, number, numberOrNull, object, optionalObject, textOrNull } from './field.js';
import { Meta } from './meta.js';

export class CandleBody {
  @integer('Start of the candle, Unix ms.', { example: 1_730_000_000_000 })
  time!: number;

  @numberOrNull(
    'Price of the first counted trade; with `continuous` the close before it. Null without a counted trade.',
    { example: 2_510.1 },
  )
  open!: number | null;

  @numberOrNull('Highest counted price.', { example: 2_515 })
  high!: number | null;

  @numberOrNull('Lowest counted price.', { example: 2_509.75 })
  low!: number | null;

  @numberOrNull('Price of the last counted trade.', { example: 2_513.42 })
  close!: number | null;

  @number('Volume of all trades in USD.', { example: 12_031_500.25 })
  volumeUsd!: number;

  @number('Volume of all trades in the coin of the chain, at its price at each trade.', { example: 4_786.9 })
  volumeNative!: number;

  @integer('Number of trades, counted or not.', { example: 5_210 })
  trades!: number;

  @integer('How many of them bought.', { example: 2_702 })
  buys!: number;

  @integer('How many of them sold.', { example: 2_508 })
  sells!: number;

  @optionalObject(
    () => CandleInputs,
    'With `explain=1`: the trades that its prices are of. Volumes and numbers are those of all trades between its start and its end.',
  )
  explain?: CandleInputs;
}

export class CandlesAnswer {
  @list(() => CandleBody, 'Ascending in time.')
  data!: CandleBody[];

  @textOrNull('Pass it back unchanged as `cursor` for the candles before these; null at the end.', { example: null })
  next!: string | null;

  @object(() => Meta, 'The state this page, and every page after it, was read from.')
  meta!: Meta;
}
