import { payload } from '../../schema/property.js';
import { EXAMPLE_VENUE } from '../examples.js';
import {
  chainSlug,
  flag,
  integer,
  list,
  object,
  objectOrNull,
  optionalInteger,
  optionalIntegerList,
  optionalText,
  text,
  textList,
  textOrNull,
} from '../field.js';

class EvmAnchor extends payload({
  chainId: integer('Chain id the node answered.', { example: 1 }),
  number: text('Number of the block that was checked. Decimal digits.', { pattern: '^\\d+$', example: '21000000' }),
  hash: text('Its hash.', {
    pattern: '^0x[0-9a-f]{64}$',
    example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f',
  }),
}) {}

export class EvmVerification extends payload({
  status: text<'pending' | 'verified' | 'mismatch' | 'unreachable' | 'disabled'>('What the last check found.', {
    enum: ['pending', 'verified', 'mismatch', 'unreachable', 'disabled'],
  }),
  reason: textOrNull('Why it is not verified; names the observed hash and the setting that accepts it.', {
    example: 'amount must be a whole number of base units',
  }),
  anchor: objectOrNull(() => EvmAnchor, 'Block of the last check that got an answer.'),
  at: textOrNull('When the last check ended.', { example: '2026-11-22T13:59:00.000Z', format: 'date-time' }),
}) {}

export class EvmVenue extends payload({
  id: text('Id across chains.', { example: EXAMPLE_VENUE }),
  dex: text('Label used in quotes; identical on every chain.', { example: 'Uniswap V3' }),
  aliases: textList('Other spellings that `dexes` and `excludeDexes` accept; contains the id.'),
  chain: chainSlug(),
  chainId: integer('Chain id.', { example: 1 }),
  protocol: text('v2 or v3.', { enum: ['v2', 'v3'], example: 'v3' }),
  factory: text('Address of the factory.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
  }),
  router: text('Address of the router: swaps are sent to it, approvals are for it.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
  }),
  wrappedNative: text('Address of the wrapped coin.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  }),
  feeNumerator: optionalInteger('V2 only: what is left of an input after the fee, of `feeDenominator`.'),
  feeDenominator: optionalInteger('V2 only.'),
  quoter: optionalText('V3 only: address of the quoter.'),
  feeTiers: optionalIntegerList('V3 only: fees of its pools in parts per million.'),
  routerAbi: text<'v2-router02' | 'v3-swap-router02'>('Interface of the router.', {
    enum: ['v2-router02', 'v3-swap-router02'],
  }),
  routerFactoryGetter: text('Name of the router’s getter of the factory.', { example: 'factory' }),
  routerWrappedNativeGetter: text('Name of the router’s getter of the wrapped coin.', { example: 'WETH9' }),
  quoterAbi: optionalText<'quoter-v2'>('V3 only.', { enum: ['quoter-v2'] }),
  quoterFactoryGetter: optionalText('V3 only.'),
  quoterWrappedNativeGetter: optionalText('V3 only.'),
  sources: textList('Pages that state the addresses.'),
  buildable: flag('This program can build swaps for it.'),
  servable: flag('It is verified and quoted.'),
  verification: object(() => EvmVerification, 'What the last check of its contracts found.'),
}) {}

export class EvmVenuesAnswer extends payload({
  venues: list(() => EvmVenue, 'One row per venue and chain, in a fixed order.'),
}) {}
