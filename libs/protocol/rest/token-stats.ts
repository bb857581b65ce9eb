import { integer, number, numberOrNull, object } from './field.js';

export class WindowStats {
  @numberOrNull('Change of the USD price over the window, in percent.')
  priceChangePercent!: number | null;

  @number('Volume in USD.')
  volumeUsd!: number;

  @integer('Trades that bought the token.')
  buys!: number;

  @integer('Trades that sold it.')
  sells!: number;

  @integer('Different wallets that bought it.')
  buyers!: number;

  @integer('Different wallets that sold it.')
  sellers!: number;

  @integer('All trades.')
  trades!: number;
}

export class TokenStats {
  @object(() => WindowStats, 'The last five minutes of block time.')
  '5m'!: WindowStats;

  @object(() => WindowStats, 'The last hour of block time.')
  '1h'!: WindowStats;

  @object(() => WindowStats, 'The last six hours of block time.')
  '6h'!: WindowStats;

  @object(() => WindowStats, 'The last 24 hours of block time.')
  '24h'!: WindowStats;
}
