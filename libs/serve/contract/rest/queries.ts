import { EXAMPLE_POOL, EXAMPLE_WALLET } from './examples.js';
import { amountFrom0, asOf, choice, cursorText, limit, oneOf, onOff, time, word } from './query-field.js';

/** The query parameters of the market-data routes: one class a route, its rules and its documentation in one place. */
export const candleIntervals = [
  ...['1s', '5s', '15s', '30s', '1m', '3m', '5m', '15m', '30m'],
  ...['1h', '2h', '4h', '6h', '12h', '1d', '3d', '1w', '1M'],
] as const;

const PRIMARY_POOL =
  '`primary`: the pool that sets the price of the token; of the coin, of a stable and of a token without a price the deepest one.';

export class TokenQuery {
  @asOf()
  asOfBlock?: number;

  @onOff('explain', 'Adds the inputs of price and number of holders: blocks, transactions and logs.')
  explain?: boolean;
}

/** Of the trades of a wallet. */
export class WalletTradesQuery {
  @time('from', 'Only trades at or after this time.')
  from?: number;

  @time('to', 'Only trades before this time.')
  to?: number;

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;

  @word('pool', 'Only trades of this pool.', 200, { examples: [EXAMPLE_POOL] })
  pool?: string;

  @choice('side', ['buy', 'sell'], 'Only trades of this side, from the view of the token of the row.')
  side?: 'buy' | 'sell';

  @amountFrom0('minUsd', 'Only trades worth at least so many USD. One whose value is not known never matches.', 1_000)
  minUsd?: number;

  @asOf()
  asOfBlock?: number;
}

export class TradesQuery {
  @time('from', 'Only trades at or after this time.')
  from?: number;

  @time('to', 'Only trades before this time.')
  to?: number;

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;

  @word('pool', `Only trades of this pool. ${PRIMARY_POOL}`, 200, { examples: [EXAMPLE_POOL] })
  pool?: string;

  @word('wallet', 'Only trades of this wallet.', 200, { examples: [EXAMPLE_WALLET] })
  wallet?: string;

  @choice('side', ['buy', 'sell'], 'Only trades of this side, from the view of the token.')
  side?: 'buy' | 'sell';

  @amountFrom0('minUsd', 'Only trades worth at least so many USD. One whose value is not known never matches.', 1_000)
  minUsd?: number;

  @asOf()
  asOfBlock?: number;
}

export class CandlesQuery {
  @oneOf(
    'interval',
    candleIntervals,
    '1m',
    'Length of a candle: `1m` is a minute, `1M` a month. Weeks start on Monday, months on the 1st, 00:00 UTC.',
  )
  interval: string = '1m';

  @time('from', 'Only candles that start at or after this time.')
  from?: number;

  @time('to', 'Only candles that start before this time.')
  to?: number;

  @limit(300, 1000)
  limit: number = 300;

  @cursorText()
  cursor?: string;

  @oneOf('currency', ['usd', 'native'], 'usd', "`native`: each candle at the coin's price at the candle's end.")
  currency: 'usd' | 'native' = 'usd';

  @word('pool', `Candles of this pool alone. ${PRIMARY_POOL}`, 200, { examples: [EXAMPLE_POOL] })
  pool?: string;

  @onOff('fill', 'Also candles without a trade, flat at the close before them.')
  fill: boolean = false;

  @onOff('continuous', 'Each candle opens at the close before it.')
  continuous: boolean = false;

  @onOff(
    'explain',
    'Adds to each candle the trades that its prices are of. With `limit` 20 at most, in USD, without `fill` and `continuous`.',
  )
  explain?: boolean;

  @asOf()
  asOfBlock?: number;
}
