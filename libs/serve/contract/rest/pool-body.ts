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

export class PoolToken {
  @text('Address; the wrapped address for the coin.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' })
  address!: string;

  @textOrNull('Name, as the token says.', { example: 'Wrapped Ether' })
  name!: string | null;

  @textOrNull("Symbol; the coin's plain symbol for its wrapped form.", { example: 'ETH' })
  symbol!: string | null;

  @integerOrNull('Decimals; null when the token does not say.', { example: 18 })
  decimals!: number | null;

  @amountOrNull('What the pool holds of it; null while that is not known.')
  reserve!: string | null;

  @numberOrNull('USD for one whole token: its price on every route, which may be another pool’s.', {
    example: 2_513.42,
  })
  priceUsd!: number | null;
}

/** One pool with both of its tokens. */
export class PoolBody {
  @chainSlug()
  chain!: string;

  @text('Address of the pool; of a pool of Uniswap V4 its id.', { example: EXAMPLE_POOL })
  address!: string;

  @text('Label of the venue.', { example: 'Uniswap V3' })
  dex!: string;

  @text('What its price follows from.', {
    enum: ['constant-product', 'concentrated', 'curve', 'stable', 'shared', 'hooked'],
  })
  kind!: string;

  @object(() => PoolToken, 'The token that the pool prices: of the higher price level, the lower address on a tie.')
  baseToken!: PoolToken;

  @object(() => PoolToken, 'The token that it is priced in.')
  quoteToken!: PoolToken;

  @numberOrNull('Fee of a swap, in percent; null where each swap has its own.', {
    minimum: 0,
    maximum: 100,
    example: 0.05,
  })
  feePercent!: number | null;

  @integerOrNull('Distance of the ticks that liquidity may begin and end at; null where there are none.', {
    example: 10,
  })
  tickSpacing!: number | null;

  @numberOrNull('Whole quote tokens for one whole base token, by the pool’s own state.', { example: 2_513.42 })
  price!: number | null;

  @numberOrNull('The same in USD, at the price of the quote token.', { example: 2_513.42 })
  priceUsd!: number | null;

  @numberOrNull('The same in the coin of the chain.', { example: 1 })
  priceNative!: number | null;

  @flag('Whether the price of the base token on every route is the one of this pool.')
  setsPrice!: boolean;

  @numberOrNull('Both sides of the pool, valued in USD.', { example: 182_400_512.7 })
  liquidityUsd!: number | null;

  @integerOrNull('When the pool was created, Unix ms; null when that was before the first indexed block.', {
    example: 1_700_000_000_000,
  })
  createdAt!: number | null;

  @textOrNull(
    'Not null: what the chain says of the pool cannot be, and which of its numbers that is (`amounts`, `price`, `liquidity` or `ticks`). Such a pool has no liquidity, sets no price and is not quoted.',
    { example: null },
  )
  setApart!: string | null;

  @object(() => TokenStats, 'Trades of this pool from the view of its base token, and the change of `priceUsd`.')
  stats!: TokenStats;

  @integer('Time of the block of `meta`, Unix ms.', { example: 1_730_000_000_000 })
  updatedAt!: number;
}

export class PoolAnswer {
  @object(() => PoolBody, 'The pool.')
  data!: PoolBody;

  @object(() => Meta, 'The state this answer was read from.')
  meta!: Meta;
}
