import { payload } from '../schema/property.js';
import { integer, number, numberOrNull, object } from './field.js';

export class WindowStats extends payload({
  priceChangePercent: numberOrNull(
    'Change of the USD price over the window, in percent. A change is no share: it may be below 0 and above 100. Null when either price is missing.',
    { example: -3.4125 },
  ),
  volumeUsd: number('Volume in USD, without what its block undid.', { example: 12_031_500.25 }),
  loopVolumeUsd: number(
    'Volume in USD of trades that their block undid (docs/spikes.md): in no other sum and in no rank.',
    {
      example: 0,
    },
  ),
  buys: integer('Trades that bought the token.', { example: 2_702 }),
  sells: integer('Trades that sold it.', { example: 2_508 }),
  buyers: integer('Different wallets that bought it.', { example: 911 }),
  sellers: integer('Different wallets that sold it.', { example: 854 }),
  trades: integer('All trades.', { example: 5_210 }),
}) {}

export class TokenStats extends payload({
  '5m': object(() => WindowStats, 'The last five minutes of block time.'),
  '1h': object(() => WindowStats, 'The last hour of block time.'),
  '6h': object(() => WindowStats, 'The last six hours of block time.'),
  '24h': object(() => WindowStats, 'The last 24 hours of block time.'),
}) {}
