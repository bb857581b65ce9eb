import { integer, list, number, numberOrNull, object, textOrNull } from './field.js';
import { Meta } from './meta.js';

export class CandleBody {
  @integer('Start of the candle, Unix ms.')
  time!: number;

  @numberOrNull(
    'Price of the first counted trade; with `continuous` the close before it. Null without a counted trade.',
  )
  open!: number | null;

  @numberOrNull('Highest counted price.')
  high!: number | null;

  @numberOrNull('Lowest counted price.')
  low!: number | null;

  @numberOrNull('Price of the last counted trade.')
  close!: number | null;

  @number('Volume of all trades in USD.')
  volumeUsd!: number;

  @number('Volume of all trades in the coin of the chain, at its price at each trade.')
  volumeNative!: number;

  @integer('Number of trades, counted or not.')
  trades!: number;

  @integer('How many of them bought.')
  buys!: number;

  @integer('How many of them sold.')
  sells!: number;
}

export class CandlesAnswer {
  @list(() => CandleBody, 'Ascending in time.')
  data!: CandleBody[];

  @textOrNull('Pass it back unchanged as `cursor` for the candles before these; null at the end.')
  next!: string | null;

  @object(() => Meta, 'The state this page, and every page after it, was read from.')
  meta!: Meta;
}
