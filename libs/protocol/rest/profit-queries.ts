import { EXAMPLE_WALLET } from './examples.js';
import { asOf, cursorText, limit, oneOf, requiredWord, time } from './query-field.js';

/** The query parameters of the routes of profit and loss. */
export class PositionsQuery {
  @requiredWord('wallets', 'Addresses of 1 to 10 wallets, separated by commas.', 2_000, { examples: [EXAMPLE_WALLET] })
  wallets!: string;

  @asOf()
  asOfBlock?: number;
}

export class TradersQuery {
  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}

export class WalletProfitQuery {
  @oneOf('interval', ['1d', '1h'], '1d', 'Length of a bucket of the series, in UTC.')
  interval: '1d' | '1h' = '1d';

  @time(
    'from',
    'Start of the range; it is widened to whole buckets. Without it 30 days of `1d` or 24 hours of `1h`. At most 365 days of `1d` or 30 days of `1h` before `to`.',
  )
  from?: number;

  @time('to', 'End of the range, exclusive; it is widened to whole buckets. Without it the block of `meta`.')
  to?: number;

  @asOf()
  asOfBlock?: number;
}
