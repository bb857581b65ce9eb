import { amount, integer, list, numberOrNull, object, text, textList, textOrNull } from './field.js';
import { Meta } from './meta.js';

/** One swap as seen from one of its two tokens. */
export class TradeBody {
  @text('Signature and the number of the trade inside its transaction: stable when the transaction is mined again.')
  id!: string;

  @text('Slug of the chain.', { example: 'eth' })
  chain!: string;

  @text('The token this row is about.')
  token!: string;

  @text('Pool address.')
  pool!: string;

  @text('Label of the venue.', { example: 'Uniswap V3' })
  dex!: string;

  @text("Side from the token's view.", { enum: ['buy', 'sell'] })
  side!: 'buy' | 'sell';

  @text("Sender of the transaction, not the swap's recipient.")
  wallet!: string;

  @amount('Amount of the token.')
  tokenAmount!: string;

  @text('The other token of the swap; the wrapped address for the coin.')
  quoteToken!: string;

  @textOrNull("Symbol of the other token; the coin's plain symbol for its wrapped form.", { example: 'ETH' })
  quoteSymbol!: string | null;

  @amount('Amount of the other token.')
  quoteAmount!: string;

  @numberOrNull('USD for one whole token in this trade.')
  priceUsd!: number | null;

  @numberOrNull('The same in the coin of the chain.')
  priceNative!: number | null;

  @numberOrNull('USD value of the trade.')
  volumeUsd!: number | null;

  @numberOrNull('The same in the coin of the chain.')
  volumeNative!: number | null;

  @integer('Time of the block, Unix ms.')
  time!: number;

  @integer('Height of the block.')
  block!: number;

  @text('Transaction id.')
  signature!: string;

  @textList('Tags of the wallet; empty while none is computed.')
  tags!: string[];
}

export class TradesAnswer {
  @list(() => TradeBody, 'Newest first. May hold fewer than `limit`; the list ends only where `next` is null.')
  data!: TradeBody[];

  @textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.')
  next!: string | null;

  @object(() => Meta, 'The state this page, and every page after it, was read from.')
  meta!: Meta;
}
