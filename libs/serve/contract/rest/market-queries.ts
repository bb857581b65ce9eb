import { EXAMPLE_CHAIN, EXAMPLE_WALLET } from './examples.js';
import { amountFrom0, choice, cursorText, limit, oneOf, word } from './query-field.js';

/** The query parameters of the routes over many tokens. */
export const statsWindowNames = ['5m', '1h', '6h', '24h'] as const;

export const screenerSorts = [
  ...['volume', 'liquidity', 'marketCap', 'holders', 'age', 'priceChange', 'trades', 'price', 'score'],
] as const;

/** One vocabulary of launchpads on every route. */
export const launchpadNames = [
  ...['pumpfun', 'raydium-launchlab', 'meteora-dbc', 'four-meme', 'clanker', 'zora', 'tidepool'],
] as const;

const UNKNOWN_NEVER_MATCHES = 'A token of which it is not known never matches.';

const chain = () =>
  word('chain', 'Slug, alias or id of a chain; without it all chains that are served now.', 100, {
    examples: [EXAMPLE_CHAIN],
  });

export class ScreenerQuery {
  @chain()
  chain?: string;

  @oneOf(
    'sort',
    screenerSorts,
    'volume',
    'What the list is ordered by. `volume`, `priceChange`, `trades` and `score` are those of `window`; `age` is the time since the creation. Tokens of which it is not known come last in either order; the deeper one comes first among equals.',
  )
  sort: string = 'volume';

  @oneOf('order', ['desc', 'asc'], 'desc', 'desc: largest first.')
  order: string = 'desc';

  @oneOf('window', statsWindowNames, '24h', 'Window of block time for volume, price change, trades and score.')
  window: string = '24h';

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;

  @word('creator', `Only tokens that this wallet created. ${UNKNOWN_NEVER_MATCHES}`, 200, {
    examples: [EXAMPLE_WALLET],
  })
  creator?: string;

  @choice('launchpad', launchpadNames, `Only tokens of this launchpad. ${UNKNOWN_NEVER_MATCHES}`)
  launchpad?: string;

  @choice(
    'sellable',
    ['true', 'false'],
    `Only tokens of which it was shown that who bought can sell, or that he cannot, as it is known when the page is made. ${UNKNOWN_NEVER_MATCHES}`,
  )
  sellable?: string;

  @amountFrom0('minLiquidity', `Liquidity in USD, at least. ${UNKNOWN_NEVER_MATCHES}`, 10_000)
  minLiquidity?: number;

  @amountFrom0('maxLiquidity', 'Liquidity in USD, at most.', 5_000_000)
  maxLiquidity?: number;

  @amountFrom0('minMarketCap', `Market cap in USD, at least. ${UNKNOWN_NEVER_MATCHES}`, 100_000)
  minMarketCap?: number;

  @amountFrom0('maxMarketCap', 'Market cap in USD, at most.', 50_000_000)
  maxMarketCap?: number;

  @amountFrom0('minVolume', 'Volume of `window` in USD, at least.', 1_000)
  minVolume?: number;

  @amountFrom0('maxVolume', 'Volume of `window` in USD, at most.', 1_000_000)
  maxVolume?: number;

  @amountFrom0('minHolders', `Number of holders, at least. ${UNKNOWN_NEVER_MATCHES}`, 100)
  minHolders?: number;

  @amountFrom0('maxHolders', 'Number of holders, at most.', 10_000)
  maxHolders?: number;

  @amountFrom0('minAge', `Seconds since the creation, at least. ${UNKNOWN_NEVER_MATCHES}`, 3_600)
  minAge?: number;

  @amountFrom0('maxAge', 'Seconds since the creation, at most.', 86_400)
  maxAge?: number;
}

export class TrendingQuery {
  @chain()
  chain?: string;

  @oneOf('window', statsWindowNames, '1h', 'Window of block time that the score is of.')
  window: string = '1h';

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}

const SEARCH_TEXT = 'The text looked for, 1-128 characters.';

export class SearchQuery {
  @chain()
  chain?: string;

  @word(
    'q',
    `${SEARCH_TEXT} Matches name, symbol and address, without regard to case and to marks over letters; finds the tokens of a pool by its address, and by the address of a wallet those that it created, newest first. An exact address comes first, then an exact symbol, an exact name, what begins with the text, what contains it. Among equals a token comes last that has the symbol of the chain’s coin or of one of its stablecoins, or one that looks like it, without being it; then the deeper token comes first. Where nothing matches, symbols, names and words of names with one wrong, missing, surplus or swapped letter are found (texts from 4 letters on; two letters from 8 on).`,
    1_000,
    { examples: ['weth'] },
  )
  q?: string;

  @word('query', 'Another name of `q`.', 1_000, { examples: ['weth'] })
  query?: string;

  @word('search', 'Another name of `q`.', 1_000, { examples: ['weth'] })
  search?: string;

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}
