import { EXAMPLE_WALLET } from '../rest/examples.js';
import { type BoardName, boardNames } from '../rest/launchpad-body.js';
import { statsWindowNames } from '../rest/market-queries.js';
import { candleIntervals } from '../rest/queries.js';
import { chainName, mustBeOneOf, oneOf, onOff, requiredWord, texts } from '../rest/query-field.js';
import { MOST_TOKENS } from '../rest/token-list-body.js';

/** The parameters of the live channels: one class a channel, its rules and its documentation in one place. */
const MOST_CHARACTERS = 200;

const chain = () => chainName(MOST_CHARACTERS);
const token = () =>
  requiredWord('token', 'Address of a token of that chain; `native` and 0xeee…e name its coin.', MOST_CHARACTERS, {
    examples: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
  });

class OfToken {
  @chain()
  chain!: string;

  @token()
  token!: string;
}

export class TradesParams extends OfToken {}

export class TokenParams extends OfToken {}

export class PairsParams extends OfToken {}

export class PricesParams {
  @chain()
  chain!: string;

  @texts(
    'tokens',
    'addresses',
    MOST_TOKENS,
    MOST_CHARACTERS,
    'Addresses of tokens of that chain, in a list or separated by commas.',
    ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
  )
  tokens!: string[];
}

export class TrendingParams {
  @chain()
  chain!: string;

  @oneOf('window', statsWindowNames, '1h', 'Window of block time that the score is of.')
  window: string = '1h';
}

export class TradersParams extends OfToken {}

export class WalletParams {
  @chain()
  chain!: string;

  @requiredWord('wallet', 'Address of a wallet of that chain.', MOST_CHARACTERS, { examples: [EXAMPLE_WALLET] })
  wallet!: string;

  @onOff('balances', 'Also what the wallet holds, then each change of it.')
  balances: boolean = false;
}

export class LaunchpadParams {
  @chain()
  chain!: string;

  @mustBeOneOf('board', boardNames, 'Board: what it has and its order are those of the REST route.')
  board!: BoardName;
}

export class HoldersParams extends OfToken {}

export class CandlesParams {
  @chain()
  chain!: string;

  @token()
  token!: string;

  @oneOf(
    'interval',
    candleIntervals,
    '1m',
    'Length of a candle: `1m` is a minute, `1M` a month. Weeks start on Monday, months on the 1st, 00:00 UTC.',
  )
  interval: string = '1m';

  @oneOf('currency', ['usd', 'native'], 'usd', "`native`: each candle at the coin's price at the candle's end.")
  currency: 'usd' | 'native' = 'usd';
}

/** A channel named in the path of an event stream. */
export class ChannelPath {
  @requiredWord('channel', 'Name of the channel.', MOST_CHARACTERS, { examples: ['trades'] })
  channel!: string;
}
