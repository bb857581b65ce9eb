import { payload } from '../schema/property.js';
import { EXAMPLE_POOL } from './examples.js';
import {
  amountOrNull,
  chainSlug,
  flag,
  integer,
  integerOrNull,
  numberOrNull,
  object,
  text,
  textOrNull,
} from './field.js';
import { Meta } from './meta.js';
import { chainName, requiredWord } from './query-field.js';
import { TokenStats } from './token-stats.js';
import { worthFields } from './worth-body.js';

/** A pool named in a path. */
export class PoolPath {
  @chainName(4_096)
  chain!: string;

  @requiredWord(
    'address',
    'Address of the pool: 0x and 40 hex digits on EVM chains, 64 for the id of a pool of Uniswap V4, base58 of 32 bytes on Solana.',
    4_096,
    { examples: [EXAMPLE_POOL] },
  )
  address!: string;
}

export class PoolToken extends payload({
  address: text('Address; the wrapped address for the coin.', {
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  }),
  name: textOrNull('Name, as the token says.', { example: 'Wrapped Ether' }),
  symbol: textOrNull("Symbol; the coin's plain symbol for its wrapped form.", { example: 'ETH' }),
  decimals: integerOrNull('Decimals; null when the token does not say.', { example: 18 }),
  reserve: amountOrNull('What the pool holds of it; null while that is not known.'),
  priceUsd: numberOrNull('USD for one whole token: its price on every route, which may be another pool’s.', {
    example: 2_513.42,
  }),
}) {}

/** One pool with both of its tokens. */
export class PoolBody extends payload({
  chain: chainSlug(),
  address: text('Address of the pool; of a pool of Uniswap V4 its id.', { example: EXAMPLE_POOL }),
  dex: text('Label of the venue.', { example: 'Uniswap V3' }),
  kind: text('What its price follows from.', {
    enum: ['constant-product', 'concentrated', 'curve', 'stable', 'shared', 'hooked'],
  }),
  baseToken: object(
    () => PoolToken,
    'The token that the pool prices: of the higher price level, the lower address on a tie.',
  ),
  quoteToken: object(() => PoolToken, 'The token that it is priced in.'),
  feePercent: numberOrNull('Fee of a swap, in percent; null where each swap has its own.', {
    minimum: 0,
    maximum: 100,
    example: 0.05,
  }),
  tickSpacing: integerOrNull('Distance of the ticks that liquidity may begin and end at; null where there are none.', {
    example: 10,
  }),
  price: numberOrNull('Whole quote tokens for one whole base token, by the pool’s own state.', { example: 2_513.42 }),
  priceUsd: numberOrNull('The same in USD, at the price of the quote token.', { example: 2_513.42 }),
  priceNative: numberOrNull('The same in the coin of the chain.', { example: 1 }),
  setsPrice: flag(
    'Whether this is the deepest of the pools that back the price of the base token: the only one, where that price is its own.',
  ),
  liquidityUsd: numberOrNull(
    'What the pool holds, valued in USD: its money side, and the token for no more than that again.',
    { example: 182_400_512.7 },
  ),
  ...worthFields,
  createdAt: integerOrNull('When the pool was created, Unix ms; null when that was before the first indexed block.', {
    example: 1_700_000_000_000,
  }),
  setApart: textOrNull(
    'Not null: what the chain says of the pool cannot be, and which of its numbers that is (`amounts`, `price`, `liquidity` or `ticks`). Such a pool has no liquidity, sets no price and is not quoted.',
    { example: null },
  ),
  stats: object(() => TokenStats, 'Trades of this pool from the view of its base token, and the change of `priceUsd`.'),
  updatedAt: integer('Time of the block of `meta`, Unix ms.', { example: 1_730_000_000_000 }),
}) {}

export class PoolAnswer extends payload({
  data: object(() => PoolBody, 'The pool.'),
  meta: object(() => Meta, 'The state this answer was read from.'),
}) {}
