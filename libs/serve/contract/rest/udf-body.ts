import { payload } from '../schema/property.js';
import { EXAMPLE_CHAIN } from './examples.js';
import { flag, integer, list, numberList, optionalInteger, text, textList } from './field.js';
import { anyWholeNumber, requiredWord, wholeNumber, word } from './query-field.js';

/** What TradingView's charting library asks a UDF feed for, and what it expects. Times are Unix seconds here alone. */
const EXAMPLE_SYMBOL = `${EXAMPLE_CHAIN}:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2`;
const MOST_SECONDS = 8_640_000_000_000;

const SYMBOL =
  '`chain:address` as `/udf/search` gives it in `ticker`; `/native` behind it prices the token in the coin of the chain.';

const seconds = (name: string, description: string) =>
  anyWholeNumber(name, 'a Unix time in seconds, a whole number', {
    description: `${description} Unix seconds, also before 1970 and far ahead; a time of this century in milliseconds is refused.`,
    examples: [1_767_225_600],
  });

export class UdfSymbolQuery {
  @requiredWord('symbol', SYMBOL, 300, { examples: [EXAMPLE_SYMBOL] })
  symbol!: string;
}

export class UdfSearchQuery {
  @word('query', 'The text looked for, as in `/search`; empty for the deepest tokens.', 300, { examples: ['weth'] })
  query?: string;

  @word('exchange', 'Slug, alias or id of a chain; empty for all.', 100, { examples: [EXAMPLE_CHAIN] })
  exchange?: string;

  @word('type', 'Kind of symbol; there is one, `crypto`.', 100, { examples: ['crypto'] })
  type?: string;

  @wholeNumber('limit', 1, 100, 'a whole number from 1 to 100', { description: 'Most symbols.', default: 30 })
  limit: number = 30;
}

export class UdfHistoryQuery {
  @requiredWord('symbol', SYMBOL, 300, { examples: [EXAMPLE_SYMBOL] })
  symbol!: string;

  @requiredWord(
    'resolution',
    'Length of a bar, one of `supported_resolutions` of `/udf/config`: minutes are a number alone, `M` is a month; a small `m` is refused.',
    20,
    { examples: ['60'] },
  )
  resolution!: string;

  @seconds('from', 'Bars that start at or after this time; needed without `countback`, which goes before it.')
  from?: number;

  @seconds('to', 'Bars that start before this time.')
  to?: number;

  @wholeNumber('countback', 1, MOST_SECONDS, 'a whole number from 1', {
    description: 'The newest so many bars below `to`, whatever `from` is; at most 5,000 are answered.',
    examples: [300],
  })
  countback?: number;
}

class UdfExchange extends payload({
  value: text('What `exchange` of a search takes; empty for all.', { example: EXAMPLE_CHAIN }),
  name: text('Name for people.', { example: 'Ethereum' }),
  desc: text('Name for people.', { example: 'Ethereum' }),
}) {}

class UdfSymbolType extends payload({
  name: text('Name for people.', { example: 'Crypto' }),
  value: text('What `type` of a search takes.', { example: 'crypto' }),
}) {}

export class UdfConfigAnswer extends payload({
  supports_search: flag('Always true.'),
  supports_group_request: flag('Always false.'),
  supports_marks: flag('Always false.'),
  supports_timescale_marks: flag('Always false.'),
  supports_time: flag('Always true.'),
  exchanges: list(() => UdfExchange, 'Chains that this instance serves, after an entry for all of them.'),
  symbols_types: list(() => UdfSymbolType, 'There is one.'),
  supported_resolutions: textList('Lengths of bars: minutes, or seconds, days, weeks and months with their letter.', {
    example: '60',
  }),
}) {}

export class UdfSymbol extends payload({
  name: text('What the chart shows.', { example: 'WETH' }),
  ticker: text('What names it in requests.', { example: EXAMPLE_SYMBOL }),
  description: text('Name of the token.', { example: 'Wrapped Ether' }),
  type: text('Always `crypto`.', { enum: ['crypto'] }),
  session: text('Always `24x7`.', { enum: ['24x7'] }),
  timezone: text('Always `Etc/UTC`.', { enum: ['Etc/UTC'] }),
  exchange: text('Chain.', { example: EXAMPLE_CHAIN }),
  listed_exchange: text('Chain.', { example: EXAMPLE_CHAIN }),
  format: text('Always `price`.', { enum: ['price'] }),
  minmov: integer('Always 1.', { example: 1 }),
  pricescale: integer('Ten to the number of decimals of a price: six digits of the price as it is now.', {
    example: 100,
  }),
  has_intraday: flag('Always true.'),
  has_seconds: flag('Always true.'),
  seconds_multipliers: textList('Lengths in seconds that bars are there of.', { example: '1' }),
  intraday_multipliers: textList('Lengths in minutes that bars are there of.', { example: '60' }),
  has_daily: flag('Always true.'),
  daily_multipliers: textList('Lengths in days that bars are there of.', { example: '1' }),
  has_weekly_and_monthly: flag('Always true.'),
  supported_resolutions: textList('Lengths of bars.', { example: '60' }),
  volume_precision: integer('Decimals of a volume.', { example: 2 }),
  currency_code: text('What prices and volumes are in: `USD`, or the symbol of the coin.', { example: 'USD' }),
  data_status: text('Always `streaming`.', { enum: ['streaming'] }),
}) {}

export class UdfFoundSymbol extends payload({
  symbol: text('What the chart shows.', { example: 'WETH' }),
  full_name: text('Chain and symbol.', { example: `${EXAMPLE_CHAIN}:WETH` }),
  description: text('Name of the token.', { example: 'Wrapped Ether' }),
  exchange: text('Chain.', { example: EXAMPLE_CHAIN }),
  ticker: text('What names it in requests.', { example: EXAMPLE_SYMBOL }),
  type: text('Always `crypto`.', { enum: ['crypto'] }),
}) {}

export class UdfHistoryAnswer extends payload({
  s: text<'ok' | 'no_data'>('`no_data`: there is no bar in the time asked for.', { enum: ['ok', 'no_data'] }),
  t: numberList('Starts of the bars, Unix seconds, ascending.', { example: [1_767_225_600] }),
  o: numberList('First prices: each bar opens at the close before it.', { example: [2_510.1] }),
  h: numberList('Highest prices.', { example: [2_515] }),
  l: numberList('Lowest prices.', { example: [2_509.75] }),
  c: numberList('Last prices.', { example: [2_513.42] }),
  v: numberList('Volumes, in the currency of the symbol.', { example: [12_031.5] }),
  nextTime: optionalInteger(
    'Of `no_data`: the start of the newest bar before, Unix seconds; left out where there is none.',
  ),
}) {}

export class UdfError extends payload({
  s: text<'error'>('Always `error`.', { enum: ['error'] }),
  errmsg: text('What to change.', { example: 'unknown_symbol' }),
}) {}
