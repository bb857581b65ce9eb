import { payload } from '../schema/property.js';
import { EXAMPLE_WALLET } from './examples.js';
import { HolderInputs } from './explain-body.js';
import {
  amount,
  amountOrNull,
  chainSlug,
  flag,
  integer,
  integerOrNull,
  list,
  numberOrNull,
  object,
  optionalObject,
  text,
  textOrNull,
} from './field.js';
import { Meta } from './meta.js';
import { asOf, cursorText, limit, onOff } from './query-field.js';

const holderKindNames = ['wallet', 'exchange', 'pool', 'curve', 'burn', 'program'] as const;
export type HolderKind = (typeof holderKindNames)[number];

export class HoldersQuery {
  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;

  @asOf()
  asOfBlock?: number;

  @onOff('explain', 'Adds the inputs of the number of holders: blocks, transactions and logs.')
  explain?: boolean;
}

export class Holder extends payload({
  address: text('Address of the holder.', { example: EXAMPLE_WALLET }),
  kind: text<HolderKind>(
    'What the holder is: `burn`, an address that is known to have no key; `pool` or `curve`, an indexed pool or bonding curve, or the contract that holds all pools of a venue; `exchange`, a wallet that an exchange is known to use; `program`, a contract of a venue, or an address of Solana that has no key; else `wallet`.',
    { enum: holderKindNames, example: 'wallet' },
  ),
  amount: amount('What it holds; in base units where the token states no decimals.'),
  sharePercent: numberOrNull('Share of the total supply, 0-100.', { minimum: 0, maximum: 100, example: 1.25 }),
  valueUsd: numberOrNull('The amount at the price of the block of `meta`.', { example: 3_102_004.11 }),
  firstAt: integer('Block time since which it holds some without a break, Unix ms.', { example: 1_730_000_000_000 }),
  lastAt: integer('Block time of the last change, Unix ms.', { example: 1_730_000_000_000 }),
}) {}

export class HoldersAnswer extends payload({
  data: list(() => Holder, 'The largest first, then by address.'),
  next: textOrNull('Pass it back as `cursor` for the next page; null at the end.', { example: null }),
  complete: flag(
    'Whether every transfer of the token is in view and its balances add up to its supply. Where they do not, there are no rows: a part of the holders would be wrong.',
  ),
  holders: integerOrNull('How many there are, burn addresses among them; null where `complete` is false.', {
    example: 51_204,
  }),
  explain: optionalObject(() => HolderInputs, 'With `explain=1`: what the number of holders was computed from.'),
  meta: object(() => Meta, 'The state this answer was read from.'),
}) {}

export class Holding extends payload({
  chain: chainSlug(),
  token: text('Address of the token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
  name: textOrNull('Name, as the token says.', { example: 'Wrapped Ether' }),
  symbol: textOrNull('Symbol, as the token says.', { example: 'WETH' }),
  image: textOrNull('https address of an image.', { example: null }),
  amount: amountOrNull(
    'What the wallet holds; in base units where the token states no decimals. Null in frames alone: it is not known any more, and the holding is in no list.',
  ),
  priceUsd: numberOrNull('USD for one whole token.', { example: 2_513.42 }),
  valueUsd: numberOrNull('The amount at that price.', { example: 3_102.1 }),
  exitUsd: numberOrNull(
    'What a sale of all of it would bring in the pools that back the price, in USD; at most `valueUsd`. Null where that is not known.',
    { example: 3_050.4 },
  ),
}) {}

/** What a wallet has of the chain's own coin, as a node says. */
export class NativeHolding extends payload({
  symbol: text('Symbol of the coin.', { example: 'ETH' }),
  amount: amount('What the wallet has, in whole coins.'),
  priceUsd: numberOrNull('USD for one coin.', { example: 2_513.42 }),
  valueUsd: numberOrNull('The amount at that price.', { example: 3_102.1 }),
  block: integer('Height of the block that it was read at: that of `meta`; on Solana the slot that the node was at.', {
    example: 21_000_000,
  }),
}) {}

export class HoldingsAnswer extends payload({
  data: list(
    () => Holding,
    'Tokens whose balances are known, the most valuable first, then those without a price by address: those of which every movement is in view, shares of pools and the wrapped coin among them. A token that moves amounts without transfers is left out from the block on where that shows. The coin of the chain is not among them, for no transfer of it is in the log: it is in `native`.',
  ),
  next: textOrNull('Pass it back as `cursor` for the next page; null at the end.', { example: null }),
  native: optionalObject(
    () => NativeHolding,
    'The coin of the chain, with the first page. Left out where no node of the chain is configured, does not answer, or does not know the block.',
  ),
  meta: object(() => Meta, 'The state this answer was read from.'),
}) {}
