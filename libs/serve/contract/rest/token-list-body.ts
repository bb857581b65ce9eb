import { payload } from '../schema/property.js';
import { ChainsMeta } from './chain-body.js';
import { EXAMPLE_CHAIN } from './examples.js';
import { chainSlug, integer, list, numberOrNull, object, text } from './field.js';
import { asOf, requiredWord } from './query-field.js';
import { TokenBody } from './token-body.js';

/** The routes over tokens that the request names. */
export const MOST_TOKENS = 50;
/** As long as fifty of the longest names of a token and of its chain are. */
const MOST_CHARACTERS = 8_192;

const EXAMPLE_TOKEN = `${EXAMPLE_CHAIN}:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2`;

const NAMES =
  'At most 50, separated by commas: `chain:address` each, or `address:chainId`. The order is kept, a repeated token is shown once; an address that is not one of its chain, a token that no source knows and a chain that this instance does not index are left out; an unknown chain is refused.';

export class TokensQuery {
  @requiredWord('ids', `Tokens. ${NAMES}`, MOST_CHARACTERS, {
    examples: [`${EXAMPLE_TOKEN},${EXAMPLE_CHAIN}:native`],
  })
  ids!: string;
}

export class PricesQuery {
  @requiredWord('tokens', `Tokens. ${NAMES}`, MOST_CHARACTERS, {
    examples: [EXAMPLE_TOKEN],
  })
  tokens!: string;

  @asOf()
  asOfBlock?: number;
}

export class TokensAnswer extends payload({
  data: list(() => TokenBody, 'In the order of the request.'),
  meta: object(() => ChainsMeta, 'The state of each chain that the answer was read from.'),
}) {}

export class PriceBody extends payload({
  chain: chainSlug(),
  address: text('Address of the token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
  priceUsd: numberOrNull('USD for one whole token: the spot at the end of the block of `meta`.', { example: 2_513.42 }),
  priceNative: numberOrNull('The same in the coin of the chain.', { example: 1 }),
  change24hPercent: numberOrNull(
    'Change of the USD price over 24 hours of block time, in percent. A change is no share: it may be below 0 and above 100. Null when either price is missing.',
    { example: -3.4125 },
  ),
  updatedAt: integer('Time of the block of `meta`, Unix ms.', { example: 1_730_000_000_000 }),
}) {}

export class PricesAnswer extends payload({
  data: list(() => PriceBody, 'In the order of the request.'),
  meta: object(() => ChainsMeta, 'The state of each chain that the answer was read from.'),
}) {}
