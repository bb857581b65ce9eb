import { integer, number, numberOrNull, object } from './field.js';

export class WindowStats {
  @numberOrNull(
    'Change of the USD price over the window, in percent. A change is no share: it may be below 0 and above 100. Null when either price is missing.',
    { example: -3.4125 },
  )
  priceChangePercent!: number | null;

  @number('Volume in USD.', { example: 12_031_500.25 })
  volumeUsd!: number;

  @integer('Trades that bought the token.', { example: 2_702 })
  buys!: number;

  @integer('Trades that sold it.', { example: 2_508 })
  sells!: number;

  @integer('Different wallets that bought it.', { example: 911 })
  buyers!: number;

  @integer('Different wallets that sold it.', { example: 854 })
  sellers!: number;

  @integer('All trades.', { example: 5_210 })
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
