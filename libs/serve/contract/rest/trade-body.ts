import { uncountedReasons } from '#libs/protocol/facts.js';
import { payload } from '../schema/property.js';
import { amount, chainSlug, flag, integer, list, numberOrNull, object, text, textList, textOrNull } from './field.js';
import { Meta } from './meta.js';

/** One swap as seen from one of its two tokens. */
export class TradeBody extends payload({
  id: text(
    'Signature and the number of the trade inside its transaction: stable when the transaction is mined again.',
    {
      example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8-0',
    },
  ),
  chain: chainSlug(),
  token: text('The token this row is about.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
  pool: text('Pool address.', { example: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640' }),
  dex: text('Label of the venue.', { example: 'Uniswap V3' }),
  side: text<'buy' | 'sell'>("Side from the token's view.", { enum: ['buy', 'sell'] }),
  wallet: text(
    "Whose balances the swap changed: the sender of the transaction unless it acts for another; not the swap's recipient.",
    { example: '0x28c6c06298d514db089934071355e5743bf21d60' },
  ),
  sender: textOrNull(
    'Who sent the transaction and paid its fee; another than `wallet` where a settlement, a bundler, a relay or a sponsor did. Null in rows of before it was recorded.',
    { example: '0x28c6c06298d514db089934071355e5743bf21d60' },
  ),
  tokenAmount: amount('Amount of the token.'),
  quoteToken: text('The other token of the swap; the wrapped address for the coin.', {
    example: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  }),
  quoteSymbol: textOrNull("Symbol of the other token; the coin's plain symbol for its wrapped form.", {
    example: 'ETH',
  }),
  quoteAmount: amount('Amount of the other token.'),
  priceUsd: numberOrNull('USD for one whole token in this trade.', { example: 2_513.42 }),
  priceNative: numberOrNull('The same in the coin of the chain.', { example: 1 }),
  volumeUsd: numberOrNull('USD value of the trade.', { example: 12_031_500.25 }),
  volumeNative: numberOrNull('The same in the coin of the chain.', { example: 4_786.9 }),
  counted: flag('Whether it moved open, high, low or close of the merged candles of `token`: `uncounted` is null.'),
  uncounted: textOrNull(
    'Why it moved no candle; null where it did. `no_price`: the other token had no price. `dust`: worth less than a cent. `hooked`, `unanchored`, `shallow`: its pool has code of its own, was not read whole yet, or is not deep enough. `quote_level`: the other token is too far from the coin and the stables. `far_from_spot`: ten times away from the price of its pool after it. `reverted`: its block undid it, and its volume is in `loopVolumeUsd` alone (docs/spikes.md). `quote_side`: `token` is the one that the other is priced in. `unknown`: stored before reasons were.',
    { enum: [...uncountedReasons, 'quote_side', 'unknown', null], example: null },
  ),
  time: integer('Time of the block, Unix ms.', { example: 1_730_000_000_000 }),
  block: integer('Height of the block.', { example: 21_000_000 }),
  signature: text('Transaction id.', { example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8' }),
  tags: textList(
    'What the wallet is known for with `token`, as of the block of `meta`: a later block may add tags to an earlier trade. Of `creator`, `sniper`, `bundler`, `insider`, `bot`, `sandwich`, `mev`, `whale`, `newWallet`, each by the rule in docs/tags.md. The coin and the stablecoins have none.',
  ),
}) {}

export class TradesAnswer extends payload({
  data: list(() => TradeBody, 'Newest first. May hold fewer than `limit`; the list ends only where `next` is null.'),
  next: textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null }),
  meta: object(() => Meta, 'The state this page, and every page after it, was read from.'),
}) {}
