import { payload } from '../schema/property.js';
import { EXAMPLE_CHAIN } from './examples.js';
import { integer, integerOrNull, list, mapOf, object, objectOrNull, text, textList, textOrNull } from './field.js';
import { Meta } from './meta.js';

class NativeCurrency extends payload({
  name: text('Name of the coin.', { example: 'Ether' }),
  symbol: text('Plain symbol of the coin, never that of its wrapped form.', { example: 'ETH' }),
  decimals: integer('Decimals of the coin.', { example: 18 }),
}) {}

class ChainHead extends payload({
  block: integer('Height of the newest block served.', { example: 21_000_000 }),
  blockHash: text('Its hash.', { example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f' }),
  time: integer('Its time, Unix ms.', { example: 1_730_000_000_000 }),
  finalized: integerOrNull("Height up to which the chain's own finality reaches.", { example: 20_999_936 }),
}) {}

export class ChainBody extends payload({
  chain: text('Slug: the name that answers carry.', { example: EXAMPLE_CHAIN }),
  aliases: textList('Other names that are accepted wherever a chain is named.'),
  networkId: integer('Id that is accepted wherever a chain is named.', { example: 1 }),
  chainId: integerOrNull('EVM chain id; null on other families.', { example: 1 }),
  family: text<'evm' | 'solana'>('Family of the chain.', { enum: ['evm', 'solana'] }),
  name: text('Name for people.', { example: 'Ethereum' }),
  nativeCurrency: objectOrNull(
    () => NativeCurrency,
    'The coin of the chain; null for a chain this version does not index yet.',
  ),
  wrappedNative: textOrNull('Address of the wrapped coin; null for a chain this version does not index yet.', {
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  }),
  head: objectOrNull(() => ChainHead, 'Newest block served; null when this instance does not serve the chain now.'),
  launchpads: textList('Launchpads known on the chain.'),
  channels: textList('Live channels of the chain.'),
}) {}

export class ChainsMeta extends payload({
  chains: mapOf(Meta, 'State of every chain that is served now, by slug.'),
}) {}

export class ChainsAnswer extends payload({
  data: list(() => ChainBody, 'Every chain whose names are accepted.'),
  meta: object(() => ChainsMeta, 'What the answer was computed from.'),
}) {}
