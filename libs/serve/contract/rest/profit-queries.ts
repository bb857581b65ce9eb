import { EXAMPLE_CHAIN, EXAMPLE_WALLET } from './examples.js';
import { asOf, cursorText, limit, oneOf, requiredWord, time, word } from './query-field.js';

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

export class TopWalletsQuery {
  @word('chain', 'Slug, alias or id of a chain; without it all chains that are served now.', 100, {
    examples: [EXAMPLE_CHAIN],
  })
  chain?: string;

  @oneOf('window', ['24h', '7d', '30d'], '24h', 'Window of block time.')
  window: string = '24h';

  @oneOf(
    'sort',
    ['profit', 'volume', 'trades'],
    'profit',
    'What the list is ordered by, the largest first: `realizedUsd` less its linked part, `boughtUsd` and `soldUsd` together, or `buys` and `sells` together.',
  )
  sort: string = 'profit';

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}
