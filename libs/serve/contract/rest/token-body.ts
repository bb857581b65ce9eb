import { FLAG_FINDINGS, TAX_FINDINGS } from '#libs/protocol/token-safety.js';
import { extendPayload, payload } from '../schema/property.js';
import { TokenInputs } from './explain-body.js';
import {
  amountOrNull,
  flagOrNull,
  integer,
  integerOrNull,
  list,
  numberOrNull,
  object,
  objectOrNull,
  optionalObject,
  text,
  textOrNull,
} from './field.js';
import { Meta } from './meta.js';
import { SearchRow } from './search-body.js';
import { TokenStats } from './token-stats.js';

export class TokenPool extends payload({
  address: text('Address of the pool.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
  dex: text('Label of the venue.', { example: 'Uniswap V2' }),
  quoteToken: text('The other token of the pool; the wrapped address for the coin.', {
    example: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  }),
  quoteSymbol: textOrNull("Symbol of the other token; the coin's plain symbol for its wrapped form.", {
    example: 'USDC',
  }),
  liquidityUsd: numberOrNull(
    'What the pool holds, valued in USD: its money side, and the token for no more than that again.',
    { example: 182_400_512.7 },
  ),
  createdAt: integerOrNull('When the pool was created, Unix ms; null when that was before the first indexed block.', {
    example: 1_700_000_000_000,
  }),
  setApart: textOrNull(
    'Not null: what the chain says of the pool cannot be, and which of its numbers that is (`amounts`, `price`, `liquidity` or `ticks`). Such a pool has no liquidity, sets no price and is not quoted.',
    { example: null },
  ),
}) {}

class SafetyFinding extends payload({
  finding: text('What it is about.', { enum: [...FLAG_FINDINGS, ...TAX_FINDINGS], example: 'sellable' }),
  basis: textOrNull(
    'What it rests on: a `simulation` on the block, the `code` of the contract or a slot of its `storage`; null where it was not shown either way.',
    { enum: ['simulation', 'code', 'storage'], example: 'simulation' },
  ),
  detail: text('What shows it, or why nothing does.', { example: 'sold to the deepest pool (same block)' }),
}) {}

class SafetyCheck extends payload({
  block: integer('Block on whose state it was found.', { example: 21_000_000 }),
  hash: text('Hash of that block.', { example: `0x${'6d'.repeat(32)}` }),
  time: integer('Time of that block, Unix ms.', { example: 1_730_000_000_000 }),
  pool: textOrNull('Pool that it was traded in; null where none holds enough of it.', { example: null }),
  findings: list(() => SafetyFinding, 'What each finding rests on.'),
}) {}

/** Shares are of the supply; null where not measured, as for every token whose transfers are not all in view (docs/tags.md). */
export class Safety extends payload({
  top10Percent: numberOrNull('Held by the ten largest holders that are no pool, no curve and no burn address, 0-100.', {
    minimum: 0,
    maximum: 100,
    example: 21.4,
  }),
  creatorPercent: numberOrNull('Held by the creator, 0-100.', { minimum: 0, maximum: 100, example: 3.1 }),
  sniperPercent: numberOrNull(
    'Held by wallets with the tag `sniper`, 0-100; null where the first trade of all is not in view.',
    { minimum: 0, maximum: 100, example: 1.25 },
  ),
  bundlerPercent: numberOrNull(
    'Held by wallets with the tag `bundler`, 0-100; null where the first trade of all is not in view.',
    { minimum: 0, maximum: 100, example: 0 },
  ),
  insiderPercent: numberOrNull('Held by wallets with the tag `insider`, 0-100; null where the creator is not known.', {
    minimum: 0,
    maximum: 100,
    example: 0,
  }),
  lpBurntPercent: numberOrNull(
    'Burnt share of the liquidity, 0-100: what addresses without a key hold of the shares of the pool that sets the price. Known where that pool is a V2 or Solidly pair of an EVM chain whose creation is in view.',
    { minimum: 0, maximum: 100, example: 99.5 },
  ),
  mintable: flagOrNull('More can be minted.'),
  freezable: flagOrNull('Balances can be frozen; on EVM chains the same as `blacklist`.'),
  renounced: flagOrNull(
    'On Solana: no address can mint, freeze or change the metadata any more. On EVM chains: the contract names no owner, and nothing that it has is reserved to anyone.',
  ),
  buyTaxPercent: numberOrNull('What the token takes of a buy, 0-100.', {
    minimum: 0,
    maximum: 100,
    example: null,
  }),
  sellTaxPercent: numberOrNull('What the token takes of a sell, 0-100.', {
    minimum: 0,
    maximum: 100,
    example: null,
  }),
  transferTaxPercent: numberOrNull('What the token takes of a transfer between accounts, 0-100.', {
    minimum: 0,
    maximum: 100,
    example: null,
  }),
  buyable: flagOrNull('The deepest pool can pay an account. EVM chains.'),
  sellable: flagOrNull('Who bought can sell to the deepest pool. EVM chains.'),
  transferable: flagOrNull('Who bought can pay another account. EVM chains.'),
  pausable: flagOrNull('A call can stop buys, sales or transfers of everybody. EVM chains.'),
  blacklist: flagOrNull('A call can stop sales or transfers of one account. EVM chains.'),
  taxChangeable: flagOrNull('A call can change what the token takes. EVM chains.'),
  proxy: flagOrNull('It runs code of another contract. EVM chains.'),
  owner: textOrNull('Who the contract says owns it. EVM chains.', { example: null }),
  checked: objectOrNull(
    () => SafetyCheck,
    'EVM chains: on what block it was found and what each finding rests on (docs/safety.md). Null before the first look.',
  ),
}) {}

/** Everything known of one token. */
export class TokenBody extends extendPayload(SearchRow, {
  decimals: integerOrNull('Decimals; null when the token does not say.', { example: 18 }),
  supply: amountOrNull(
    'What was minted less what was burnt; of a token whose transfers are not all in view, the supply that it stated when it was first seen.',
  ),
  circulatingSupply: amountOrNull(
    'Supply less what burn addresses hold; null unless every transfer of the token is in view and its balances add up.',
  ),
  fdvUsd: numberOrNull('Price times total supply.', { example: 7_120_455_002.1 }),
  priceNative: numberOrNull('Price in the coin of the chain.', { example: 1 }),
  description: textOrNull('Description.', { example: null }),
  pools: list(
    () => TokenPool,
    'Its pools, deepest first; at most 200. Of a token in more than 5,000 pools the 200 that were seen first.',
  ),
  stats: object(() => TokenStats, 'Trading over windows of block time that end at the block of `meta`.'),
  safety: object(() => Safety, 'Shares and rights; null where not measured.'),
  updatedAt: integer('Time of the block of `meta`, Unix ms.', { example: 1_730_000_000_000 }),
  explain: optionalObject(() => TokenInputs, 'With `explain=1`: what price and number of holders were computed from.'),
}) {}

export class TokenAnswer extends payload({
  data: object(() => TokenBody, 'The token.'),
  meta: object(() => Meta, 'The state this answer was read from.'),
}) {}
