import { payload } from '../schema/property.js';
import {
  amountOrNull,
  flag,
  integer,
  integerOrNull,
  list,
  number,
  numberOrNull,
  object,
  objectOrNull,
  text,
  textOrNull,
} from './field.js';

/** What numbers were computed from: shown with `explain=1`, so that each can be checked on the chain itself. */
export class LogPlace extends payload({
  block: integer('Height of the block.', { example: 21_000_000 }),
  transaction: text('Transaction id.', {
    example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
  }),
  log: integer(
    'On EVM chains the index of the log in its block; on Solana the place of the event among those of the block.',
    { example: 214 },
  ),
}) {}

class PricingPool extends payload({
  pool: text('The pool.', { example: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640' }),
  quoteToken: text('The token that it prices this one in.', { example: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' }),
  price: number('Whole quote tokens for one whole token, by the state of the pool.', { example: 2_513.42 }),
}) {}

export class PriceStep extends payload({
  token: text('The token that this step prices.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
  pool: textOrNull('The pool whose state is the price; null where it is the price of the coin or of a stable.', {
    example: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
  }),
  quoteToken: textOrNull('The token that the pool prices it in, which the next step prices.', {
    example: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  }),
  price: numberOrNull('Whole quote tokens for one whole token; USD where there is no pool.', { example: 2_513.42 }),
  block: integerOrNull(
    'Height of the block whose end left this price; null for a stable that no trade has moved yet.',
    {
      example: 21_000_000,
    },
  ),
  transaction: textOrNull(
    'The transaction that left it: that of the last trade of the pool. Null where something else moved the pool, such as a change of its liquidity, and for the coin and stables, whose price follows from several pools.',
    { example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8' },
  ),
  log: integerOrNull('Its log, as in `LogPlace`.', { example: 214 }),
  measuredUsd: numberOrNull(
    'Of a stablecoin off its peg what its pools say it is worth: between 1 % and 2 % off it counts as something in between (docs/prices.md). Null where that is at most 1 % off, and for other tokens.',
    { example: null },
  ),
  pools: list(
    () => PricingPool,
    'All pools that back the price, `pool` among them: the price is where these would not trade against each other. None for the coin and stables.',
  ),
}) {}

export class HolderInputs extends payload({
  minted: amountOrNull('What was minted in view.'),
  burnt: amountOrNull('What was burnt.'),
  held: amountOrNull('Sum of all balances.'),
  stated: amountOrNull('Supply that the chain stated when the token was first seen; `0` where it stated none.'),
  complete: flag('Whether every transfer is in view and the balances add up: only then holders are counted.'),
  firstTransfer: objectOrNull(() => LogPlace, 'The first transfer that was counted.'),
  lastTransfer: objectOrNull(() => LogPlace, 'The last one.'),
}) {}

export class TokenInputs extends payload({
  price: list(
    () => PriceStep,
    'From the token to what is worth USD by definition; each price is that of the step times all after it.',
  ),
  holders: object(() => HolderInputs, 'Of the number of holders.'),
}) {}

export class CandleInputs extends payload({
  open: objectOrNull(() => LogPlace, 'The trade whose price is `open`; null where that is null.'),
  high: objectOrNull(() => LogPlace, 'The first trade with the price `high`.'),
  low: objectOrNull(() => LogPlace, 'The first trade with the price `low`.'),
  close: objectOrNull(() => LogPlace, 'The trade whose price is `close`.'),
}) {}
